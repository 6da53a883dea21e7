/** What an error is made of. */
export interface ErrorParts {
  /** HTTP status; 0 without a response. */
  readonly status: number
  /** Code for programs, as listed in errors.md, or one of the client itself, such as `CONNECTION_FAILED`. */
  readonly reason: string
  readonly message: string
  readonly details?: Readonly<Record<string, unknown>>
  /** Id of the request in the log of the server. */
  readonly requestId?: string
  /** Delay that the server requests before the next attempt. */
  readonly retryAfterMs?: number
  /** What made the connection fail. */
  readonly cause?: unknown
}

/**
 * A call that failed. Classes tell kinds of errors apart, `reason` tells all of them apart. Neither the message nor
 * the details contain the key.
 *
 * ```ts
 * try {
 *   await people.update([{ id: 1, fields: { Name: 'Eve' }, expect: { Name: 'Ann' } }])
 * } catch (error) {
 *   if (error instanceof PreconditionFailedError) console.log(error.reason) // CELL_CHANGED
 *   else throw error
 * }
 * ```
 */
export class SheafError extends Error {
  readonly status: number
  readonly reason: string
  readonly details: Readonly<Record<string, unknown>>
  readonly requestId: string | undefined
  readonly retryAfterMs: number | undefined

  constructor(parts: ErrorParts) {
    super(parts.message, parts.cause === undefined ? undefined : { cause: parts.cause })
    this.name = new.target.name
    this.status = parts.status
    this.reason = parts.reason
    this.details = parts.details ?? {}
    this.requestId = parts.requestId
    this.retryAfterMs = parts.retryAfterMs
  }
}

/** 400 and other 4xx: the request is not valid. It has changed nothing. */
export class InvalidRequestError extends SheafError {}

/** 413: the request, or what it would make, is too large. */
export class TooLargeError extends InvalidRequestError {}

/** 401: the key is missing, unknown, revoked or expired. */
export class AuthenticationError extends SheafError {}

/** 403: the role of the caller, or the scope or caps of the key, do not permit the call. */
export class PermissionError extends SheafError {}

/** 404: the document, table, column or other object does not exist. */
export class NotFoundError extends SheafError {}

/** 409, 412 and 422: the call conflicts with the current state. */
export class ConflictError extends SheafError {}

/** 412: the document does not match `ifMatch`, or a record does not match `expect`. */
export class PreconditionFailedError extends ConflictError {}

/** 429: a limit of the server or of the key is reached; `retryAfterMs` tells when to try again. */
export class RateLimitedError extends SheafError {}

/** 502, 503 and 504: the server, or something it needs, is not available. */
export class UnavailableError extends SheafError {}

/** No response: Sheaf could not be reached, or the connection broke. */
export class ConnectionError extends UnavailableError {}

/** No response in time. */
export class TimeoutError extends ConnectionError {}

const classes: Readonly<Record<number, typeof SheafError>> = {
  401: AuthenticationError,
  403: PermissionError,
  404: NotFoundError,
  409: ConflictError,
  412: PreconditionFailedError,
  413: TooLargeError,
  422: ConflictError,
  429: RateLimitedError,
  502: UnavailableError,
  503: UnavailableError,
  504: UnavailableError,
}

/** Creates the error of a response from its status, headers and body. */
export function toError(status: number, headers: Headers, text: string): SheafError {
  const { error, details } = parseBody(text)
  const type = classes[status] ?? (status < 500 ? InvalidRequestError : SheafError)
  return new type({
    status,
    reason: typeof details.reason === 'string' ? details.reason : 'UNEXPECTED_RESPONSE',
    message: error ?? unexpectedResponse(status),
    details,
    requestId: headers.get('x-request-id') ?? undefined,
    retryAfterMs: readRetryAfter(details.retryAfterMs, headers.get('retry-after')),
  })
}

/** Proxies in front of Sheaf have statuses from 500 of their own; others come from a server that is not Sheaf. */
function unexpectedResponse(status: number): string {
  const message = `unexpected response with status ${status}`
  return status < 500 ? `${message}: is the URL that of Sheaf?` : message
}

/** Proxies answer with bodies of their own, which are not shown. */
function parseBody(text: string): { error?: string; details: Record<string, unknown> } {
  try {
    const { error, details } = JSON.parse(text) as { error?: unknown; details?: object }
    return { ...(typeof error === 'string' && { error }), details: { ...details } }
  } catch {
    return { details: {} }
  }
}

/** The header is a number of seconds or a date, and coarser than the detail, which servers send as text. */
function readRetryAfter(detail: unknown, header: string | null): number | undefined {
  const exact = typeof detail === 'string' && /^\d/.test(detail) ? Number(detail) : detail
  if (typeof exact === 'number' && Number.isFinite(exact)) return Math.max(0, exact)
  if (header === null) return undefined
  const ms = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now()
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}
