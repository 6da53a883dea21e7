/** An unsuccessful response, or none. */
export class RestError extends Error {
  /**
   * @param status HTTP status; 0 without a response
   * @param retryAfterMs delay that the server requests
   */
  constructor(
    readonly status: number,
    message: string,
    readonly retryAfterMs?: number,
  ) {
    super(message)
    this.name = 'RestError'
  }

  /** True when the same request may succeed later. */
  get isTransient(): boolean {
    return [0, 408, 429, 500, 502, 503, 504].includes(this.status)
  }
}

/** The public REST API with one key. Its methods throw RestError. */
export interface RestClient {
  get<T>(path: string): Promise<T>
  /** Returns a response that is not JSON. */
  getText(path: string): Promise<string>
  /** Sends JSON text, or an object as JSON. */
  post<T>(path: string, body: string | object): Promise<T>
}

/** Longer than the server takes for any response. */
export const TIMEOUT_MS = 120_000

/** Creates a client for the site at `url`, without a trailing slash. */
export function createRestClient({ url, key }: { url: string; key: string }): RestClient {
  async function send(path: string, init: RequestInit): Promise<{ status: number; text: string }> {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    let response: Response
    let text: string
    try {
      response = await fetch(url + path, { ...init, headers, signal, redirect: 'error' })
      text = await response.text()
    } catch (error) {
      throw new RestError(0, `no response from ${url}: ${reasonOf(error)}`)
    }
    if (!response.ok) throw refusal(response, text)
    return { status: response.status, text }
  }
  async function request<T>(path: string, init: RequestInit): Promise<T> {
    const { status, text } = await send(path, init)
    try {
      return JSON.parse(text) as T
    } catch {
      throw new RestError(status, `unexpected response from ${url}: is the URL that of Sheaf?`)
    }
  }
  return {
    get: (path) => request(path, {}),
    getText: async (path) => (await send(path, {})).text,
    post: (path, body) =>
      request(path, {
        method: 'POST',
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
  }
}

function refusal(response: Response, text: string): RestError {
  const message = `the server returned ${response.status}: ${errorOf(text) || response.statusText}`
  return new RestError(
    response.status,
    message,
    readRetryAfter(response.headers.get('retry-after')),
  )
}

function errorOf(text: string): string {
  try {
    return (JSON.parse(text) as { error?: string }).error ?? ''
  } catch {
    return text.slice(0, 200)
  }
}

/** Converts seconds or an HTTP date to milliseconds from now. */
function readRetryAfter(text: string | null): number | undefined {
  if (text === null) return undefined
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now()
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}

/** Why a request got no response, as a code such as `ECONNREFUSED` if there is one. */
export function reasonOf(error: unknown): string {
  const { message, cause } = error as Error & { cause?: Error & { code?: string } }
  return cause?.code ?? cause?.message ?? message
}
