import { OpenAPIRegistry, OpenApiGeneratorV31 } from '@asteasolutions/zod-to-openapi'
import { z } from 'zod'
import type { Route } from '../routing/route'
import { errorBody } from '../schemas/errors'
import type { OpenApiDocument } from './docs-page'

const description = `Sheaf manages sites (orgs), which hold workspaces, which hold documents, which hold tables of records.

Every call is authorized with an API key in the header \`Authorization: Bearer <key>\`; without one the caller is the
anonymous user, who sees what is shared with everyone. A team site is addressed by its subdomain, or by the path
prefix \`/o/<domain>\`. Errors are \`{"error": "…", "details": {…}}\`. Rows are changed whole request by whole request: a
request that fails changes nothing.`

const tags = [
  { name: 'orgs', description: 'Sites: personal ones and those of teams' },
  { name: 'workspaces', description: 'Folders of documents within a site' },
  { name: 'docs', description: 'Documents' },
  { name: 'access', description: 'Who may do what' },
  { name: 'tables', description: 'Tables of a document' },
  { name: 'columns', description: 'Columns of a table' },
  { name: 'records', description: 'Rows of a table' },
  { name: 'attachments', description: 'Files of a document' },
  { name: 'data', description: 'Rows of a table by column' },
  { name: 'sql', description: 'Queries of a document' },
  { name: 'changes', description: 'What was changed in a document' },
  { name: 'history', description: 'Who changed what, and taking it back' },
  { name: 'webhooks', description: 'Addresses that are told of changes of a table' },
  { name: 'profile', description: 'The calling user' },
  { name: 'session', description: 'The session of a browser' },
  { name: 'keys', description: 'API keys of the calling user' },
  { name: 'users', description: 'People who can sign in' },
  { name: 'about', description: 'About this server' },
]

/** Describes the routes, using the schemas that validate requests. */
export function createOpenApiDocument(routes: readonly Route[]): OpenApiDocument {
  const registry = new OpenAPIRegistry()
  const key = registry.registerComponent('securitySchemes', 'ApiKey', {
    type: 'http',
    scheme: 'bearer',
    description: 'An API key',
  })
  const session = registry.registerComponent('securitySchemes', 'Session', {
    type: 'apiKey',
    in: 'cookie',
    name: 'sheaf_session',
    description:
      'The session of a browser; what changes something needs the header X-CSRF-Token as well',
  })
  const security = [{ [key.name]: [] }, { [session.name]: [] }, {}]
  for (const route of routes) registry.registerPath(toPath(route, security))
  return new OpenApiGeneratorV31(registry.definitions, {
    sortComponents: 'alphabetically',
  }).generateDocument({
    openapi: '3.1.0',
    info: {
      title: 'Sheaf',
      version: '1.0.1',
      description,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [
      { url: '/', description: 'The personal site' },
      {
        url: '/o/{domain}',
        description: 'A team site, by its subdomain',
        variables: { domain: { default: 'docs' } },
      },
    ],
    tags,
  })
}

type PathConfig = Parameters<OpenAPIRegistry['registerPath']>[0]

function toPath(route: Route, security: PathConfig['security']): PathConfig {
  const { method, path, id, tag, summary, description, params, query } = route
  const isOpen = route.access === 'open'
  return {
    method,
    path,
    operationId: id,
    tags: [tag],
    summary,
    description,
    deprecated: route.deprecated,
    security: isOpen ? [] : security,
    request: {
      params,
      query,
      headers: toHeaders(route),
      ...toBody(route),
    },
    responses: { 200: toResponse(route), ...toErrors(route) },
  }
}

function toBody({ body, form }: Route) {
  if (body) return { body: { required: true, content: { 'application/json': { schema: body } } } }
  return form && { body: { required: true, content: { 'multipart/form-data': { schema: form } } } }
}

const conditionHeaders = {
  read: {
    'If-None-Match': z
      .string()
      .optional()
      .meta({ description: 'ETags that the client knows: 304 when the document is still so' }),
  },
  write: {
    'If-Match': z
      .string()
      .optional()
      .meta({ description: 'ETags: 412 when the document is not so any more' }),
    'Idempotency-Key': z.string().optional().meta({
      description:
        'A name for this write, kept for 24 hours: when it is sent again it changes nothing and gets the first answer',
    }),
  },
}

function toHeaders({ headers, conditions }: Route) {
  if (!conditions) return headers
  return (headers ?? z.object({})).extend(conditionHeaders[conditions])
}

const etag = z.object({
  ETag: z.string().meta({ description: 'The state of the document that the answer shows' }),
})

/** Headers of a page of rows. */
const pageHeaders = etag.extend({
  'X-Total-Count': z
    .int()
    .optional()
    .meta({ description: 'With `count`: the rows that pass the filter' }),
  'X-Next-Cursor': z.string().optional().meta({
    description:
      'With `cursor`: that of the next page; in JSON, where `nextCursor` tells it too, for a page of at most 10,000 rows',
  }),
  Link: z.string().optional().meta({
    description:
      'The next page, relative to the request, with `rel="next"`; not where a body selects the rows',
  }),
})

function toResponse({ success, conditions, hasPages }: Route) {
  const { description, schema, mediaType = 'application/json', otherMediaTypes = [] } = success
  const text = { schema: { type: 'string' as const } }
  return {
    description,
    ...(conditions && { headers: hasPages ? pageHeaders : etag }),
    content: {
      [mediaType]: schema ? { schema } : text,
      ...Object.fromEntries(otherMediaTypes.map((other) => [other, text])),
    },
  }
}

/** Headers of errors that a later retry may avoid. */
const retryAfter = z.object({
  'Retry-After': z.string().optional().meta({ description: 'Seconds to wait before the next try' }),
})

function answer(description: string, headers?: z.ZodObject) {
  return { description, headers, content: { 'application/json': { schema: errorBody } } }
}

function toBodyErrors({ body, form }: Route): Record<number, ReturnType<typeof answer>> {
  if (form) return { 413: answer('The files are too large'), 415: answer('The body is no form') }
  return body ? { 413: answer('The body is too large') } : {}
}

function toErrors(route: Route) {
  const { access, params, body, isProbe, conditions } = route
  return {
    ...((params ?? body) && { 400: answer('The request is not valid; the text names the field') }),
    ...(access !== 'open' && {
      401: answer('The key is not valid, or one is needed'),
      403: answer('The caller may not do this'),
    }),
    ...(params && { 404: answer('There is no such thing') }),
    ...(conditions === 'read' && {
      304: { description: 'The client knows this state', headers: etag },
    }),
    ...(conditions === 'write' && {
      412: answer('The document or a record is not as expected'),
      422: answer('The Idempotency-Key was used for another request'),
    }),
    ...toBodyErrors(route),
    ...(access !== 'open' && { 429: answer('Too many requests', retryAfter) }),
    ...(access !== 'open' && { 503: answer('Not now; try again later', retryAfter) }),
    ...(isProbe && { 503: answer('Something is not ready', retryAfter) }),
  }
}
