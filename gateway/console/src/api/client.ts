/** An error response of the API. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly details: Readonly<Record<string, unknown>> = {},
  ) {
    super(message)
    this.name = 'ApiError'
  }

  /** True for 401 and 403. An expired session causes either, because a request without its cookie is anonymous. */
  get isAuthError(): boolean {
    return this.status === 401 || this.status === 403
  }
}

/** HTTP method of a request. */
export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'

/** Options of a request. */
export interface CallOptions {
  /** Sent as JSON. */
  readonly body?: unknown
  /** Query parameters; those that are undefined are omitted. */
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

/** Response of GET /api/session. */
export interface Session {
  readonly user: { readonly id: number; readonly name: string; readonly email: string } | null
  readonly csrfToken: string | null
  readonly signIn: { readonly oidc: boolean; readonly mail: boolean }
}

/** The user of this page: the first who was signed in. */
let pageUserId: number | undefined
/** CSRF token from the latest session response. */
let csrfToken: string | null = null
let onSession: (session: Session) => void = () => {}

/** Returns true for the user of this page, false for another user who has signed in from another tab. */
export const isPageUser = (user: Session['user']): boolean => user?.id === pageUserId

/** Calls the listener with every session response. Returns a function that unsubscribes. */
export function watchSession(listener: (session: Session) => void): () => void {
  onSession = listener
  return () => {
    onSession = () => {}
  }
}

/** Returns a path with its query string. */
export function toUrl(path: string, query: CallOptions['query'] = {}): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  )
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given).toString()}`
}

/** Fetches the session. Later writes use its CSRF token. */
export async function fetchSession(): Promise<Session> {
  const session = await call<Session>('GET', '/api/session')
  pageUserId ??= session.user?.id
  // A page shown to one user never writes on behalf of another.
  csrfToken = isPageUser(session.user) ? session.csrfToken : null
  onSession(session)
  return session
}

/** Headers required for writes authenticated by cookie. */
export function writeHeaders(): Record<string, string> {
  return {
    'X-Requested-With': 'XMLHttpRequest',
    ...(csrfToken !== null && { 'X-CSRF-Token': csrfToken }),
  }
}

/** A response with its headers. */
export interface ApiResponse<T> {
  readonly body: T
  readonly headers: Headers
}

/**
 * Calls the API with the session of this browser. Resolves to the body, parsed if it is JSON. Rejects with
 * ApiError for error responses, and with status 0 if Sheaf cannot be reached.
 */
export async function call<T>(method: Method, path: string, options: CallOptions = {}): Promise<T> {
  return (await callWithHeaders<T>(method, path, options)).body
}

/** Like `call`, but also resolves to the response headers. */
export async function callWithHeaders<T>(
  method: Method,
  path: string,
  options: CallOptions = {},
): Promise<ApiResponse<T>> {
  const response = await send(method, path, options)
  if (response.ok) return { body: (await readBody(response)) as T, headers: response.headers }
  const error = await toError(response)
  if (!error.isAuthError || method === 'GET' || !(await hasNewToken())) throw error
  return callWithHeaders(method, path, options)
}

/** Returns the change log position of a response; 0 if it has none. */
export function seqOf({ headers }: ApiResponse<unknown>): number {
  const [, seq = '0'] = /\.(\d+)/.exec(headers.get('ETag') ?? '') ?? []
  return Number(seq)
}

function send(method: Method, path: string, options: CallOptions): Promise<Response> {
  const { body, query, headers, signal } = options
  return fetch(toUrl(path, query), {
    method,
    signal,
    credentials: 'same-origin',
    headers: {
      ...(method !== 'GET' && writeHeaders()),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...headers,
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  }).catch((error: unknown) => {
    if (signal?.aborted) throw error
    throw new ApiError(0, 'Sheaf cannot be reached. Check your connection and try again.')
  })
}

/** Returns true if the user of this page has signed in again in another tab, so that the CSRF token has changed. */
async function hasNewToken(): Promise<boolean> {
  const old = csrfToken
  await fetchSession()
  return csrfToken !== null && csrfToken !== old
}

async function readBody(response: Response): Promise<unknown> {
  const text = await response.text()
  return response.headers.get('Content-Type')?.startsWith('application/json')
    ? JSON.parse(text)
    : text
}

async function toError(response: Response): Promise<ApiError> {
  const text = await response.text()
  return parseError(response.status, text)
}

/** Parses the body of an error response. */
export function parseError(status: number, text: string): ApiError {
  try {
    const { error, details } = JSON.parse(text) as { error: string; details?: object }
    return new ApiError(status, error, { ...details })
  } catch {
    return new ApiError(status, `Sheaf responded with status ${status}.`)
  }
}
