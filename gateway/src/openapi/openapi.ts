import { OpenAPIRegistry, OpenApiGeneratorV31 } from '@asteasolutions/zod-to-openapi'
import { z } from 'zod'
import { AS_OF } from '../http/as-of'
import { DRY_RUN } from '../http/dry-run'
import { hasAsOf, hasDryRun, type Route } from '../routing/route'
import type { OpenApiDocument } from './docs-page'
import { describeResponses, registerSharedResponses } from './responses'

const description = `Sheaf stores spreadsheet documents. A site (org) contains workspaces, a workspace contains documents, and a document
contains tables of records.

Authenticate with an API key in the header \`Authorization: Bearer <key>\`. Requests without a key act as the anonymous
user, who has access to publicly shared resources only. Address a team site by its subdomain or by the path prefix
\`/o/<domain>\`.

Errors have a 4xx or 5xx status and the body \`{"error": "…", "details": {"reason": "…"}}\`; \`details.reason\` is stable.
Requests that reach no operation get the same body, with status 400, 404, 405, 408 or 431.
Every write is atomic: a request that fails changes nothing.

Unknown query parameters and properties are ignored, and values that do not fit their column are kept as text. With the
header \`Prefer: handling=strict\`, they are errors with status 400, as are references to rows, attachments and tables
that do not exist. The response then has the header \`Preference-Applied: handling=strict\`.`

const tags = [
  { name: 'orgs', description: 'Personal sites and team sites' },
  { name: 'workspaces', description: 'Folders of documents within a site' },
  { name: 'docs', description: 'Documents: create, import, copy, move, download, delete' },
  { name: 'access', description: 'Roles of users on sites, workspaces and documents' },
  { name: 'tables', description: 'Tables of a document' },
  { name: 'columns', description: 'Columns of a table' },
  { name: 'views', description: 'Views of a table' },
  { name: 'forms', description: 'Forms: pages that add records, for everyone with their link' },
  { name: 'records', description: 'Records (rows) of a table' },
  { name: 'attachments', description: 'Files attached to a document' },
  { name: 'data', description: 'Rows of a table as one list of values per column' },
  { name: 'sql', description: 'Read-only SQL queries on a document' },
  { name: 'changes', description: 'Change log and live change stream of a document' },
  { name: 'formulas', description: 'State and recalculation of formula columns' },
  { name: 'history', description: 'Change history with authors, and undo' },
  { name: 'webhooks', description: 'HTTP callbacks for changes of a table' },
  { name: 'profile', description: 'Profile of the calling user' },
  { name: 'session', description: 'Browser sessions of the calling user' },
  { name: 'keys', description: 'API keys of the calling user' },
  { name: 'users', description: 'User accounts' },
  { name: 'about', description: 'API description and health of the server' },
]

/** The role on the document that a route requires, for its description. */
const requirements: Readonly<Record<Route['access'], string | undefined>> = {
  viewers: 'Requires view access to the document.',
  editors: 'Requires edit access to the document.',
  owners: 'Requires owner access to the document.',
  open: 'Requires no authentication.',
  form: 'Requires no authentication but the key of the form; other credentials are ignored.',
  // The directory service checks access, so the description of the route names the role.
  caller: undefined,
}

/**
 * Generates the OpenAPI document of the routes, from the schemas that also validate requests. It has no
 * `servers`, which depend on the request: see `listServers`.
 */
export function createOpenApiDocument(routes: readonly Route[]): OpenApiDocument {
  const registry = new OpenAPIRegistry()
  const key = registry.registerComponent('securitySchemes', 'ApiKey', {
    type: 'http',
    scheme: 'bearer',
    description: 'API key of a user',
  })
  const session = registry.registerComponent('securitySchemes', 'Session', {
    type: 'apiKey',
    in: 'cookie',
    name: 'sheaf_session',
    description:
      'Browser session. Requests other than GET and HEAD also require the header `X-CSRF-Token`.',
  })
  const security = [{ [key.name]: [] }, { [session.name]: [] }, {}]
  registerSharedResponses(registry)
  for (const route of routes) registry.registerPath(toPath(route, security))
  return new OpenApiGeneratorV31(registry.definitions, {
    sortComponents: 'alphabetically',
  }).generateDocument({
    openapi: '3.1.0',
    info: {
      title: 'Sheaf',
      version: '1.0.1',
      description,
      contact: { name: 'The operator of this server' },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    tags,
  })
}

/**
 * Returns the `servers` of the OpenAPI document for clients that reach Sheaf at this origin. They are absolute,
 * because generated clients use them as they are.
 */
export function listServers(origin: string): NonNullable<OpenApiDocument['servers']> {
  return [
    {
      url: origin,
      description: 'The site that the host names; the personal site of the caller if it names none',
    },
    {
      url: `${origin}/o/{domain}`,
      description: 'A team site',
      variables: { domain: { default: 'docs', description: 'Subdomain of the site' } },
    },
  ]
}

type PathConfig = Parameters<OpenAPIRegistry['registerPath']>[0]

function toPath(route: Route, security: PathConfig['security']): PathConfig {
  const { method, path, id, tag, summary, params } = route
  const isOpen = route.access === 'open' || route.access === 'form'
  return {
    method,
    path,
    operationId: id,
    tags: [tag],
    summary,
    description: toDescription(route),
    deprecated: route.deprecated,
    security: isOpen ? [] : security,
    request: {
      params,
      query: toQuery(route),
      headers: toHeaders(route),
      ...toBody(route),
    },
    responses: describeResponses(route),
  }
}

function toDescription({ description, access }: Route): string | undefined {
  const sentences = [description, requirements[access]].filter((text) => text !== undefined)
  return sentences.length > 0 ? sentences.join(' ') : undefined
}

function toQuery(route: Route) {
  const query = route.query ?? z.object({})
  if (hasDryRun(route)) return query.extend(dryRun.shape)
  return hasAsOf(route) ? query.extend(asOf.shape) : route.query
}

function toBody({ body, form }: Route) {
  if (body) return { body: { required: true, content: { 'application/json': { schema: body } } } }
  return form && { body: { required: true, content: { 'multipart/form-data': { schema: form } } } }
}

const dryRun = z.object({
  [DRY_RUN]: z.enum(['true', 'false']).optional().meta({
    description:
      '`true` keeps nothing and returns `{"dryRun": true, "result", "change", "pendingColumns"}`: the response of the write, what it would have changed, with the results of formulas, in the form of the history, `null` for nothing, and the columns that formulas would compute later.',
  }),
})

const asOf = z.object({
  [AS_OF]: z.string().optional().meta({
    description:
      'Reads the document as it was at this moment: the `seq` of a change, or a time by RFC 3339. Requires the role editor. Returns 400 `MOMENT_NOT_FOUND`, naming the oldest moment, for one that is not in the log.',
  }),
})

const conditionHeaders = {
  read: {
    'If-None-Match': z.string().optional().meta({
      description:
        'ETags of cached responses, separated by commas. Returns 304 if the document is unchanged.',
    }),
  },
  write: {
    'If-Match': z.string().optional().meta({
      description:
        'ETags, separated by commas. Returns 412 if the document matches none of them, and changes nothing.',
    }),
    'Idempotency-Key': z.string().optional().meta({
      description:
        'Client-chosen key of this write, kept for 24 hours per user and document. Repeating the request with the same key changes nothing and returns the first response.',
    }),
  },
}

const preferHeader = {
  Prefer: z.string().optional().meta({
    description:
      '`handling=strict` rejects with 400 what is otherwise ignored or kept as text: unknown parameters and properties, values that do not fit their column, and references to what does not exist.',
    example: 'handling=strict',
  }),
}

function toHeaders({ headers, conditions, query, body }: Route) {
  const all = {
    ...headers?.shape,
    ...(conditions && conditionHeaders[conditions]),
    ...((query ?? body) && preferHeader),
  }
  return Object.keys(all).length > 0 ? z.object(all) : undefined
}
