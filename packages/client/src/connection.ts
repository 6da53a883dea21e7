import type { CallOptions, WriteOptions } from './call-options.ts'
import { createCancellation, requireActive, sleep, type Cancellation } from './cancellation.ts'
import {
  AuthenticationError,
  ConnectionError,
  PermissionError,
  SheafError,
  TimeoutError,
  toError,
} from './errors.ts'
import type { HttpRequest, Upload } from './http-request.ts'
import { createIdempotencyKey } from './idempotency-key.ts'
import { canRepeat, delayBefore, mergeLimits, type RetryLimits } from './retry-policy.ts'
import { sendHttp, type Fetch } from './transport.ts'

/** Query parameters; those that are undefined are omitted. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>

/** A call of the REST API. */
export interface Call {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  /** Below the URL of the server, with escaped parts. */
  readonly path: string
  readonly query?: Query
  readonly headers?: Readonly<Record<string, string | undefined>>
  /** Sent as JSON. */
  readonly json?: unknown
  /** Creates the form to send, for each attempt. */
  readonly upload?: () => Upload
  /** True for a request that has no second effect when it is repeated. Default: true for GET. */
  readonly isRepeatable?: boolean
  /** True for a transfer that may take any time: only the delays between its attempts are limited. */
  readonly isLong?: boolean
}

/** A response that has begun. */
export interface OpenResponse {
  readonly response: Response
  /** Ends the response; to be disposed of by the receiver. */
  readonly cancellation: Cancellation
}

/** Where a server is, and how it is called. */
export interface ConnectionOptions {
  readonly url: string
  readonly key?: string
  readonly headers?: () => Readonly<Record<string, string>>
  readonly renew?: () => Promise<void>
  readonly fetch?: Fetch
}

/** A value with the headers of its response. */
export interface WithHeaders<T> {
  readonly value: T
  readonly headers: Headers
}

/** How documents and their parts call a server. */
export interface Connection {
  /** Resolves to the JSON of the response. */
  json<T>(call: Call, options?: CallOptions): Promise<T>
  /** Resolves to the JSON of the response and its headers. */
  jsonWithHeaders<T>(call: Call, options?: CallOptions): Promise<WithHeaders<T>>
  /** Makes a write of a document, with its own key unless the caller has one. */
  write<T>(call: Call, options?: WriteOptions): Promise<WithHeaders<T>>
  /** Resolves once the head of the response is there. */
  open(call: Call, options?: CallOptions): Promise<OpenResponse>
}

/** The time that a call may take. */
interface CallTime {
  /** Milliseconds. */
  readonly left: () => number
  readonly wait: (ms: number, signal: AbortSignal | undefined) => Promise<void>
}

/** How far one call may be repeated. */
interface Repetition {
  readonly signal: AbortSignal | undefined
  readonly limits: RetryLimits
  readonly time: CallTime
}

/** Calls one server, and repeats calls where that is safe. */
export class HttpConnection implements Connection {
  readonly #base: string
  readonly #authorization: string | undefined
  readonly #options: ConnectionOptions
  readonly #limits: RetryLimits

  constructor(options: ConnectionOptions, limits: RetryLimits) {
    const { url, key } = options
    this.#base = toBase(url)
    this.#authorization = key === undefined ? undefined : `Bearer ${requireKey(key)}`
    this.#options = options
    this.#limits = limits
  }

  async json<T>(call: Call, options?: CallOptions): Promise<T> {
    return (await this.jsonWithHeaders<T>(call, options)).value
  }

  jsonWithHeaders<T>(call: Call, options?: CallOptions): Promise<WithHeaders<T>> {
    return this.#readWhole(call, options, (text, headers) => ({
      value: this.#parse(text) as T,
      headers,
    }))
  }

  /** Resolves to the text of the response, whatever its format. */
  text(call: Call, options?: CallOptions): Promise<string> {
    return this.#readWhole(call, options, (text) => text)
  }

  write<T>(call: Call, options?: WriteOptions): Promise<WithHeaders<T>> {
    return this.jsonWithHeaders({ ...toWrite(options), ...call }, options)
  }

  open(call: Call, options?: CallOptions): Promise<OpenResponse> {
    return this.#call(call, options, async (open) => {
      open.cancellation.stopTimer()
      return open
    })
  }

  /** Reads the body as well within the time of an attempt. */
  #readWhole<T>(
    call: Call,
    options: CallOptions | undefined,
    parse: (text: string, headers: Headers) => T,
  ): Promise<T> {
    return this.#call(call, options, async ({ response, cancellation }) => {
      try {
        return parse(await response.text(), response.headers)
      } finally {
        cancellation.dispose()
      }
    })
  }

  /** A refused call has had no effect, so it is made again when its caller then has other credentials. */
  async #call<T>(
    call: Call,
    options: CallOptions | undefined,
    read: (open: OpenResponse) => Promise<T>,
  ): Promise<T> {
    const credentials = this.#readCredentials()
    const { signal, retry } = options ?? {}
    const limits = mergeLimits(this.#limits, retry)
    const repetition = { signal, limits, time: createCallTime(limits, call.isLong) }
    try {
      return await this.#repeat(call, repetition, read)
    } catch (error) {
      const isRefused = error instanceof AuthenticationError || error instanceof PermissionError
      if (!isRefused) throw error
      await this.#renew(repetition)
      if (this.#readCredentials() === credentials) throw error
      return this.#repeat(call, repetition, read)
    }
  }

  /** Waits for the function of the caller, which knows neither the signal nor the limits of the call, within them. */
  async #renew({ signal, limits, time }: Repetition): Promise<void> {
    const { renew } = this.#options
    if (!renew) return
    requireActive(signal)
    const { signal: over, dispose } = createCancellation(signal, attemptMs(limits, time))
    const ended = new Promise<void>((resolve) =>
      over.addEventListener('abort', () => resolve(), { once: true }),
    )
    await Promise.race([renew().catch(() => {}), ended])
    dispose()
    requireActive(signal)
  }

  #readCredentials(): string {
    return JSON.stringify(this.#options.headers?.())
  }

  async #repeat<T>(
    call: Call,
    { signal, limits, time }: Repetition,
    read: (open: OpenResponse) => Promise<T>,
  ): Promise<T> {
    const request = this.#prepare(call)
    for (let attempt = 1; ; attempt++) {
      requireActive(signal)
      const ms = call.isLong ? undefined : attemptMs(limits, time)
      try {
        const whole = { ...request, headers: this.#headersOf(call), ...bodyOf(call, request) }
        return await this.#attempt(whole, { signal, ms }, read)
      } catch (error) {
        requireActive(signal)
        const { method, isRepeatable = method === 'GET' } = call
        if (attempt >= limits.attempts || !canRepeat(error, isRepeatable)) throw error
        const delay = delayBefore(attempt, error, limits)
        if (delay > time.left()) throw error
        await time.wait(delay, signal)
      }
    }
  }

  /** The body is serialized once, so that all attempts send the same. */
  #prepare({ method, path, query = {}, json }: Call): Pick<HttpRequest, 'url' | 'method' | 'body'> {
    const search = new URLSearchParams()
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) search.append(name, String(value))
    const text = search.toString()
    const url = this.#base + path + (text === '' ? '' : `?${text}`)
    return { url, method, body: json === undefined ? undefined : JSON.stringify(json) }
  }

  #headersOf({ headers, json }: Call): Headers {
    const given = {
      authorization: this.#authorization,
      'content-type': json === undefined ? undefined : 'application/json',
      ...this.#options.headers?.(),
      ...headers,
    }
    const all = new Headers()
    for (const [name, value] of Object.entries(given)) if (value !== undefined) all.set(name, value)
    return all
  }

  async #attempt<T>(
    request: Omit<HttpRequest, 'signal'>,
    { signal, ms }: { signal: AbortSignal | undefined; ms: number | undefined },
    read: (open: OpenResponse) => Promise<T>,
  ): Promise<T> {
    const cancellation = createCancellation(signal, ms)
    try {
      const whole = { ...request, signal: cancellation.signal }
      const response = await sendHttp(whole, this.#options.fetch)
      if (!response.ok) throw toError(response.status, response.headers, await response.text())
      return await read({ response, cancellation })
    } catch (error) {
      cancellation.dispose()
      throw error instanceof SheafError ? error : this.#toConnectionError(error, cancellation)
    }
  }

  /** Turns what `fetch` or the reading of a body threw into an error of this package. */
  #toConnectionError(cause: unknown, { isLate }: Cancellation): SheafError {
    if (isLate())
      return new TimeoutError({
        status: 0,
        reason: 'TIMED_OUT',
        message: `no response from ${this.#base} in time`,
      })
    return connectionError(`no response from ${this.#base}`, cause)
  }

  #parse(text: string): unknown {
    try {
      return JSON.parse(text)
    } catch {
      throw new SheafError({
        status: 200,
        reason: 'UNEXPECTED_RESPONSE',
        message: `unexpected response from ${this.#base}: is the URL that of Sheaf?`,
      })
    }
  }
}

/** Starts the time of a call: that of its attempts and of the delays between them, of a long transfer that of the delays alone. */
function createCallTime({ totalMs }: RetryLimits, isLong = false): CallTime {
  const start = Date.now()
  let waitedMs = 0
  return {
    left: () => totalMs - (isLong ? waitedMs : Date.now() - start),
    wait: (ms, signal) => {
      waitedMs += ms
      return sleep(ms, signal)
    },
  }
}

function attemptMs({ attemptMs: ms }: RetryLimits, { left }: CallTime): number {
  return Math.max(1, Math.min(ms, left()))
}

/** Creates the error of a connection that failed. */
function connectionError(message: string, cause: unknown): ConnectionError {
  const { code, message: text } =
    (cause as { cause?: { code?: unknown; message?: unknown } } | undefined)?.cause ?? {}
  // `fetch` of Node has a code for most faults, and only a text for others, such as a redirect.
  const why = [code, text].find((part) => typeof part === 'string' && part !== '')
  return new ConnectionError({
    status: 0,
    reason: 'CONNECTION_FAILED',
    message: why === undefined ? message : `${message}: ${why as string}`,
    cause,
  })
}

/** Returns the part of a call that makes it a write of a document. */
function toWrite({
  ifMatch,
  idempotencyKey = createIdempotencyKey(),
  strict,
}: WriteOptions = {}): Pick<Call, 'headers' | 'isRepeatable'> {
  const hasKey = idempotencyKey !== false
  return {
    headers: {
      'if-match': ifMatch,
      'idempotency-key': hasKey ? idempotencyKey : undefined,
      prefer: strict ? 'handling=strict' : undefined,
    },
    isRepeatable: hasKey,
  }
}

function bodyOf({ upload }: Call, { body }: Pick<HttpRequest, 'body'>): Pick<HttpRequest, 'body'> {
  return { body: upload ? upload() : body }
}

/** `fetch` would repeat a key with other characters, and the user name of a URL, in its error. */
function requireKey(key: string): string {
  if (/^[\x21-\x7e]+$/.test(key)) return key
  throw new TypeError('the key must consist of visible ASCII characters')
}

function toBase(url: string): string {
  const { location } = globalThis as { location?: { href: string } }
  let parsed: URL
  try {
    parsed = new URL(url, location?.href)
  } catch {
    throw new TypeError('url must be the URL of a Sheaf, such as https://sheaf.example.com')
  }
  const { protocol, username, password, origin, pathname } = parsed
  if (protocol !== 'https:' && protocol !== 'http:')
    throw new TypeError('url must begin with https:// or http://')
  if (username !== '' || password !== '') throw new TypeError('url must not contain a password')
  return origin + pathname.replace(/\/+$/, '')
}
