/** Options of a request. */
export interface RestOptions {
  /** Sent as JSON, unless it is text, bytes or a form. */
  body?: unknown
  /** Values that are undefined are left out; objects are sent as JSON (as `filter` wants). */
  query?: Record<string, unknown>
  /** Added to the Authorization header; names in lower case. */
  headers?: Record<string, string>
  /** Domain of the site to address: puts `/o/<site>` before the path. */
  site?: string
  signal?: AbortSignal
}

/** A complete response. */
export interface RestReply<T = unknown> {
  readonly status: number
  readonly headers: Headers
  readonly raw: Buffer
  readonly text: string
  /** Parsed when the response is declared as JSON, else text. */
  readonly body: T
}

type Call = <T = unknown>(path: string, options?: RestOptions) => Promise<RestReply<T>>

/**
 * A client of the REST API; paths are relative to the site: `/api/orgs`. A 4xx response is returned, not
 * thrown.
 */
export interface Rest {
  readonly url: string
  readonly get: Call
  readonly post: Call
  readonly patch: Call
  readonly put: Call
  readonly delete: Call
}

/** Creates a client for the gateway at `url`; without a key, requests are anonymous. */
export function createRest(url: string, key?: string): Rest {
  const call =
    (method: string): Call =>
    async <T>(path: string, options: RestOptions = {}) => {
      const response = await fetch(toUrl(url, path, options), toInit(method, key, options))
      const raw = Buffer.from(await response.arrayBuffer())
      return toReply<T>(response, raw)
    }
  return {
    url,
    get: call('GET'),
    post: call('POST'),
    patch: call('PATCH'),
    put: call('PUT'),
    delete: call('DELETE'),
  }
}

function toReply<T>({ status, headers }: Response, raw: Buffer): RestReply<T> {
  const text = raw.toString('utf8')
  return { status, headers, raw, text, body: readBody(headers.get('content-type'), text) as T }
}

/** Returns the address of a request; a query in the path is kept. */
export function toUrl(base: string, path: string, { query = {}, site }: RestOptions): string {
  const url = new URL(base)
  const [pathname = '', search = ''] = path.split('?', 2)
  url.pathname = `${url.pathname.replace(/\/$/, '')}${site ? `/o/${site}` : ''}${pathname}`
  url.search = search
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(name, toText(value))
  }
  return url.href
}

/** Parses a response body: JSON if it is declared as such, text otherwise; undefined when it is empty. */
export function readBody(contentType: string | null, text: string): unknown {
  if (text === '') return undefined
  return /^application\/([\w.-]+\+)?json\b/.test(contentType ?? '') ? JSON.parse(text) : text
}

function toInit(method: string, key: string | undefined, options: RestOptions): RequestInit {
  const { body, headers, signal } = options
  const asItIs = body === undefined || isRaw(body)
  return {
    method,
    signal,
    redirect: 'manual',
    headers: {
      ...(key && { authorization: `Bearer ${key}` }),
      ...(!asItIs && { 'content-type': 'application/json' }),
      ...headers,
    },
    body: asItIs ? body : JSON.stringify(body),
  }
}

function isRaw(body: unknown): body is string | Uint8Array | FormData {
  return typeof body === 'string' || body instanceof Uint8Array || body instanceof FormData
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
