import type { OpenAPIRegistry, ResponseConfig } from '@asteasolutions/zod-to-openapi'
import { z } from 'zod'
import type { Route } from '../routing/route'
import { errorBody } from '../schemas/errors'

/** Responses of an operation, by status: described in place, or a reference to a shared one. */
export type Responses = Record<number, ResponseConfig | { $ref: string }>

/** An error response that operations share. */
interface SharedError {
  /** Name of the component. */
  readonly name: string
  readonly description: string
  /** True when a retry may succeed. */
  readonly isPassing?: boolean
}

const shared = {
  400: {
    name: 'BadRequest',
    description: 'The request is invalid; `error` names the parameter, header or property.',
  },
  401: {
    name: 'Unauthorized',
    description: 'The API key or the session is invalid, or the operation requires one.',
  },
  403: {
    name: 'Forbidden',
    description:
      'The role of the caller or the scope of the API key does not permit the operation, or a page of an untrusted origin sent credentials.',
  },
  404: {
    name: 'NotFound',
    description: 'The site, or a resource that the path names, does not exist.',
  },
  412: {
    name: 'PreconditionFailed',
    description:
      '`If-Match` or `expect` does not match the current state, or the document was deleted during the request. Nothing was changed.',
  },
  413: {
    name: 'ContentTooLarge',
    description: 'The body, a file in it, or the change that it requests exceeds a limit.',
  },
  415: {
    name: 'UnsupportedMediaType',
    description: 'The media type, charset or encoding of the body is not supported.',
  },
  422: {
    name: 'IdempotencyKeyReused',
    description: 'The `Idempotency-Key` was used with a different request.',
  },
  429: {
    name: 'TooManyRequests',
    description: 'A rate limit or another limit is reached.',
    isPassing: true,
  },
  431: {
    name: 'HeadersTooLarge',
    description: 'The request line and the headers exceed 64 KiB together.',
  },
  500: {
    name: 'InternalError',
    description: 'A fault of the server. `details.requestId` identifies the request in its log.',
  },
  503: {
    name: 'Unavailable',
    description: 'The server is busy, or a part of it is unavailable.',
    isPassing: true,
  },
  504: {
    name: 'Timeout',
    description: 'The time limit of the request was reached.',
  },
} satisfies Record<number, SharedError>

type SharedStatus = keyof typeof shared

const NOT_MODIFIED = 'NotModified'
const refTo = (name: string) => ({ $ref: `#/components/responses/${name}` })

const retryAfter = {
  'Retry-After': {
    description: 'Seconds to wait before a retry. Absent if the time is unknown.',
    schema: { type: 'integer' as const, minimum: 1 },
  },
}

/** Registers the responses that operations share. */
export function registerSharedResponses(registry: OpenAPIRegistry): void {
  // The schema becomes a component through the errors that routes describe themselves.
  const content = { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } }
  const all: readonly SharedError[] = Object.values(shared)
  for (const { name, description, isPassing } of all)
    registry.registerComponent('responses', name, {
      description,
      ...(isPassing && { headers: retryAfter }),
      content,
    })
  registry.registerComponent('responses', NOT_MODIFIED, {
    description: 'The copy that `If-None-Match` names is current. The response has no body.',
    headers: {
      ETag: { description: 'ETag of the current state', schema: { type: 'string' as const } },
    },
  })
}

/** Returns every response of a route, derived from its declaration. */
export function describeResponses(route: Route): Responses {
  const success = toSuccess(route)
  const responses: Responses = { 200: success }
  if (route.conditions === 'read') responses[304] = refTo(NOT_MODIFIED)
  for (const status of listErrors(route)) responses[status] = refTo(shared[status].name)
  for (const [status, description] of Object.entries(route.statuses ?? {}))
    responses[Number(status)] = toFurther(Number(status), description, success)
  return responses
}

/** Statuses of errors that may occur before the handler of a route runs, or in any handler of its kind. */
function listErrors({ access, params, body, form, isProbe, conditions }: Route): SharedStatus[] {
  const errors: SharedStatus[] = [400, 431, 500, 503]
  if (isProbe) return errors
  errors.push(403, 404, 504)
  if (access !== 'open') errors.push(401, 429)
  if (params && access !== 'open' && access !== 'caller') errors.push(412)
  if (conditions === 'write') errors.push(412, 413, 422)
  if (body ?? form) errors.push(413, 415)
  return errors
}

function toFurther(status: number, description: string, success: ResponseConfig): ResponseConfig {
  if (status === 304) return { description, headers: etag }
  if (status < 300) return { ...success, description, ...(status === 206 && rangeHeaders(success)) }
  return { description, content: { 'application/json': { schema: errorBody } } }
}

/** Response header of routes that take input. */
const applied = z.object({
  'Preference-Applied': z
    .string()
    .optional()
    .meta({ description: '`handling=strict` if the request preferred that' }),
})

const etag = z.object({
  ETag: z.string().meta({ description: 'Version of the document that the response shows' }),
})

/** Response headers of a page of records. */
const pageHeaders = etag.extend({
  'X-Total-Count': z
    .int()
    .optional()
    .meta({ description: 'Number of records that match the filter. Present if `count` is set.' }),
  'X-Next-Cursor': z.string().optional().meta({
    description:
      'Cursor of the next page. Present if `cursor` is set; in JSON responses only for pages of at most 10,000 records, since the body has `nextCursor`.',
  }),
  Link: z.string().optional().meta({
    description: 'Relative URL of the next page, with `rel="next"`. Absent for POST requests.',
  }),
})

/** Response header of reads in which cells that are not computed yet are null. */
const pendingHeader = z.object({
  'X-Pending-Columns': z.string().optional().meta({
    description:
      'Formula columns with cells that are not computed yet, which are null, as `Table.Column`, separated by commas; `...` stands for those beyond 50. Absent when all are computed.',
    example: 'Orders.Total, Orders.Share',
  }),
})

const contentRange = z.object({
  'Content-Range': z.string().meta({
    description: 'First and last byte of the part, and the size of the file',
    example: 'bytes 0-1023/4096',
  }),
})

function rangeHeaders({ headers }: ResponseConfig) {
  return {
    headers: headers instanceof z.ZodObject ? headers.extend(contentRange.shape) : contentRange,
  }
}

function toSuccess(route: Route): ResponseConfig {
  const { success, conditions, hasPages, namesPending, query, body } = route
  const { description, schema, mediaType = 'application/json', otherMediaTypes = [] } = success
  const content = schema ? { schema } : { schema: { type: 'string' as const } }
  return {
    description: withOtherTypes(description, otherMediaTypes),
    headers: z.object({
      ...((query ?? body) && applied.shape),
      ...(conditions && (hasPages ? pageHeaders : etag).shape),
      ...(namesPending && pendingHeader.shape),
      ...success.headers?.shape,
    }),
    content: { [mediaType]: content },
  }
}

/**
 * Other media types are described in words: generated clients take the body of a status as the union of its media types,
 * so that a text beside the JSON would make the JSON unusable without a cast.
 */
function withOtherTypes(description: string, types: readonly string[]): string {
  if (types.length === 0) return description
  return `${description}. \`Accept\` also selects ${types.map((type) => `\`${type}\``).join(', ')}.`
}
