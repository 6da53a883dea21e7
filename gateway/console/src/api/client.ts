/** An answer that is an error. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly details: Readonly<Record<string, unknown>> = {},
  ) {
    super(message)
    this.name = 'ApiError'
  }

  /** True for what may have been refused because the session has ended: its cookie is gone then, and the call anonymous. */
  get isAuthError(): boolean {
    return this.status === 401 || this.status === 403
  }
}

/** The method of a call. */
export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'

/** What goes with a call, besides its method and path. */
export interface CallOptions {
  /** Sent as JSON. */
  readonly body?: unknown
  /** Parameters of the address; those that are undefined are left out. */
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

/** What GET /api/session answers. */
export interface Session {
  readonly user: { readonly id: number; readonly name: string; readonly email: string } | null
  readonly csrfToken: string | null
  readonly signIn: { readonly oidc: boolean; readonly mail: boolean }
}

/** Whose page this is: the first user who is known to be signed in. */
let pageUserId: number | undefined
/** The proof that a write comes from this page, as the last answer about the session has it. */
let csrfToken: string | null = null
let tellSession: (session: Session) => void = () => {}

/** True for the user whose page this is; not for another one, who has signed in in another tab meanwhile. */
export const isPageUser = (user: Session['user']): boolean => user?.id === pageUserId

/** Has every answer about the session told, until the function that it returns is called. */
export function watchSession(tell: (session: Session) => void): () => void {
  tellSession = tell
  return () => {
    tellSession = () => {}
  }
}

/** An address with its parameters. */
export function toUrl(path: string, query: CallOptions['query'] = {}): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  )
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given).toString()}`
}

/** Asks who is signed in; what it answers is what writes are made with from now on. */
export async function fetchSession(): Promise<Session> {
  const session = await call<Session>('GET', '/api/session')
  pageUserId ??= session.user?.id
  // What one user sees is never changed in the name of another.
  csrfToken = isPageUser(session.user) ? session.csrfToken : null
  tellSession(session)
  return session
}

/** Headers that every write by cookie needs. */
export function writeHeaders(): Record<string, string> {
  return {
    'X-Requested-With': 'XMLHttpRequest',
    ...(csrfToken !== null && { 'X-CSRF-Token': csrfToken }),
  }
}

/** A whole answer. */
export interface Answer<T> {
  readonly body: T
  readonly headers: Headers
}

/**
 * Calls the API with the session of this browser; resolves to the answer, parsed where it is JSON. Rejects with ApiError
 * for an answer that is an error, and when Sheaf cannot be reached (status 0).
 */
export async function call<T>(method: Method, path: string, options: CallOptions = {}): Promise<T> {
  return (await callWithHeaders<T>(method, path, options)).body
}

/** As `call`; resolves to the headers of the answer as well. */
export async function callWithHeaders<T>(
  method: Method,
  path: string,
  options: CallOptions = {},
): Promise<Answer<T>> {
  const response = await send(method, path, options)
  if (response.ok) return { body: (await readBody(response)) as T, headers: response.headers }
  const error = await toError(response)
  if (!error.isAuthError || method === 'GET' || !(await hasNewToken())) throw error
  return callWithHeaders(method, path, options)
}

/** The position in the log of its document that an answer was made at; 0 for one that tells none. */
export function seqOf({ headers }: Answer<unknown>): number {
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
    throw new ApiError(0, 'Sheaf cannot be reached. Check the connection, then try again.')
  })
}

/** True when the user of this page signed in anew, in another tab, since the token was fetched. */
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

/** The error that an answer with this text is. */
export function parseError(status: number, text: string): ApiError {
  try {
    const { error, details } = JSON.parse(text) as { error: string; details?: object }
    return new ApiError(status, error, { ...details })
  } catch {
    return new ApiError(status, `Sheaf answered with status ${status}.`)
  }
}
