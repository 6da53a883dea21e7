import { Agent as HttpAgent, request as httpRequest, type ClientRequest } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { isPublicAddress, networkOf } from './addresses'
import { readResponse } from './read-response'
import { describeFault, readFaultCode } from './faults'
import { resolveHost, type Address, type Resolve } from './resolve'
import { checkUrl, type Target } from './url-rule'

/** Time limit of a delivery: DNS, connecting, sending, and the whole response. */
const TIMEOUT_MS = 15_000
/** Shorter than the usual keep-alive timeout of receivers. */
const IDLE_MS = 4_000
/** Maximum number of idle connections. */
const MAX_IDLE = 256
const MAX_HEADER_BYTES = 16 * 1024
const REDIRECT = /^3/

/** A request to post. */
export interface Post {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/** The outcome of a post. */
export interface PostOutcome {
  /** Null for success: a complete response with a 2xx status. Otherwise the failure. */
  readonly error: string | null
  /** Status of the response; null without one. */
  readonly httpStatus: number | null
  /** The beginning of the response as text. */
  readonly excerpt: string
  /** Header `retry-after` of the response. */
  readonly retryAfter?: string
  /** True when nothing was sent, since deliveries may not go to the target. */
  readonly isRefused?: boolean
  /** The network of the host; absent when the host was not resolved. */
  readonly network?: string
  readonly durationMs: number
}

/** Options of a Poster. */
export interface PosterOptions {
  readonly allowedHosts: readonly string[]
  readonly resolve?: Resolve
  readonly timeoutMs?: number
}

/** Thrown when an attempt is cancelled from outside. */
class Stopped extends Error {}

/**
 * Posts to addresses chosen by untrusted users. The host is resolved once, every address is checked, and the
 * connection goes to one of exactly these, whatever their names; redirects are not followed, no proxy is
 * used, the response is read up to a small limit, and the whole post has a time limit.
 */
export class Poster implements Disposable {
  private readonly allowedHosts: readonly string[]
  private readonly resolve: Resolve
  private readonly timeoutMs: number
  // Reused connections were checked when they were opened, and the rules are the same for all webhooks.
  private readonly http = new HttpAgent(agentOptions)
  private readonly https = new HttpsAgent(agentOptions)

  constructor({ allowedHosts, resolve = resolveHost, timeoutMs = TIMEOUT_MS }: PosterOptions) {
    this.allowedHosts = allowedHosts
    this.resolve = resolve
    this.timeoutMs = timeoutMs
  }

  /** Posts once. Never throws unless `stop` is aborted: then it cancels the request and rejects. */
  async post(post: Post, stop?: AbortSignal): Promise<PostOutcome> {
    const started = performance.now()
    const ending = new AbortController()
    const timer = setTimeout(() => ending.abort(), this.timeoutMs)
    const found: { network?: string } = {}
    const onStop = () => ending.abort(new Stopped('stopped'))
    stop?.addEventListener('abort', onStop, { once: true })
    try {
      stop?.throwIfAborted()
      const outcome = await this.tryPost(post, ending.signal, found)
      return { ...outcome, ...found, durationMs: since(started) }
    } catch (error) {
      if (stop?.aborted) throw error
      const seconds = this.timeoutMs / 1_000
      const reason = ending.signal.aborted
        ? `no complete response within ${seconds} s`
        : describeFault(error)
      return { ...failed(reason), ...found, durationMs: since(started) }
    } finally {
      clearTimeout(timer)
      stop?.removeEventListener('abort', onStop)
    }
  }

  [Symbol.dispose](): void {
    this.http.destroy()
    this.https.destroy()
  }

  /** Reports the network of the host in `found`, also when the attempt fails. */
  private async tryPost(
    post: Post,
    signal: AbortSignal,
    found: { network?: string },
  ): Promise<Outcome> {
    const target = this.findTarget(post.url)
    if (!target) return { ...failed('the URL is not allowed'), isRefused: true }
    const host = hostOf(target.url)
    const addresses = await untilAborted(this.resolve(host), signal)
    found.network = addresses.map(({ address }) => networkOf(address)).sort()[0]
    const isOpen = target.isAllowedHost || addresses.every((each) => isPublicAddress(each.address))
    if (!isOpen) return { ...failed('the host resolves to a non-public address'), isRefused: true }
    const pinned = { ...target, host, addresses }
    const sent = this.send(post, pinned, signal)
    try {
      return await sent.outcome
    } catch (error) {
      // The receiver had just closed the kept-alive connection, which says nothing about the receiver.
      const isStale = sent.request.reusedSocket && /^(ECONNRESET|EPIPE)$/.test(readFaultCode(error))
      if (!isStale || signal.aborted) throw error
      return await this.send(post, pinned, signal, true).outcome
    }
  }

  private findTarget(url: string): Target | undefined {
    try {
      return checkUrl(url, this.allowedHosts)
    } catch {
      return undefined
    }
  }

  private send(post: Post, { url, host, addresses }: Pinned, signal: AbortSignal, fresh = false) {
    const isTls = url.protocol === 'https:'
    const request = (isTls ? httpsRequest : httpRequest)({
      method: 'POST',
      hostname: host,
      port: url.port === '' ? undefined : Number(url.port),
      path: `${url.pathname}${url.search}`,
      headers: { ...post.headers, host: url.host, 'content-length': post.body.length },
      agent: fresh ? false : isTls ? this.https : this.http,
      lookup: pin(addresses),
      maxHeaderSize: MAX_HEADER_BYTES,
      signal,
      ...(isTls && { servername: isIP(host) === 0 ? host : '' }),
    })
    const outcome = readOutcome(request)
    request.end(post.body)
    return { request, outcome }
  }
}

const agentOptions = {
  keepAlive: true,
  maxFreeSockets: MAX_IDLE,
  timeout: IDLE_MS,
  scheduling: 'lifo',
} as const

type Outcome = Omit<PostOutcome, 'durationMs'>

interface Pinned extends Target {
  readonly host: string
  readonly addresses: readonly Address[]
}

function readOutcome(request: ClientRequest): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    request.on('error', reject)
    // No upgrade was requested.
    request.on('upgrade', (_message, socket) => {
      socket.destroy()
      reject(
        Object.assign(new Error('the response is a protocol upgrade'), { code: 'HPE_UPGRADE' }),
      )
    })
    request.on('response', (message) => {
      const status = message.statusCode ?? 0
      const retryAfter = message.headers['retry-after']
      readResponse(message).then(
        (excerpt) =>
          resolve({ error: describeStatus(status), httpStatus: status, excerpt, retryAfter }),
        reject,
      )
    })
  })
}

function describeStatus(status: number): string | null {
  if (status >= 200 && status < 300) return null
  return REDIRECT.test(String(status))
    ? `HTTP status ${status}: redirects are not followed`
    : `HTTP status ${status}`
}

function failed(error: string): Outcome {
  return { error, httpStatus: null, excerpt: '' }
}

/** Pins a connection to these addresses, without another lookup. */
function pin(addresses: readonly Address[]): LookupFunction {
  return (_host, options, callback) => {
    if (options.all) return callback(null, [...addresses])
    const [first] = addresses
    callback(null, first?.address ?? '', first?.family)
  }
}

/** Returns the host in the form of sockets: without the brackets of IPv6 and a trailing dot. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')
}

function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
    work.then(resolve, reject)
  })
}

const since = (started: number) => Math.round(performance.now() - started)
