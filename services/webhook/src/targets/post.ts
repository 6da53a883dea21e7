import { Agent as HttpAgent, request as httpRequest, type ClientRequest } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { isPublicAddress } from './addresses'
import { readAnswer } from './read-response'
import { describeFault, readFaultCode } from './faults'
import { resolveHost, type Address, type Resolve } from './resolve'
import { checkUrl, type Target } from './url-rule'

/** How long a delivery may take in all: finding the host, connecting, sending, and the whole answer. */
const TIMEOUT_MS = 15_000
/** Shorter than receivers commonly keep a connection that nobody uses. */
const IDLE_MS = 4_000
/** Connections that are kept for the next delivery. */
const MAX_IDLE = 256
const MAX_HEADER_BYTES = 16 * 1024
const REDIRECT = /^3/

/** What is posted. */
export interface Post {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/** What came of it. */
export interface PostOutcome {
  /** Null when it was taken: a whole answer with a status of 2xx. Else why it was not. */
  readonly error: string | null
  /** Status of the answer; null when there was none. */
  readonly httpStatus: number | null
  /** The first bytes of the answer as text. */
  readonly excerpt: string
  /** Header `retry-after` of the answer. */
  readonly retryAfter?: string
  /** True when nothing was sent, since the target is none that deliveries may go to. */
  readonly isRefused?: boolean
  readonly durationMs: number
}

/** How deliveries leave. */
export interface PosterOptions {
  readonly allowedHosts: readonly string[]
  readonly resolve?: Resolve
  readonly timeoutMs?: number
}

/** What ends an attempt from outside. */
class Stopped extends Error {}

/**
 * Posts to addresses that strangers have chosen. The host is resolved once, every address of it is checked, and the
 * connection goes to one of just these, by whatever name; no redirect is followed, no proxy is used, the answer is read
 * to a small bound, and all of it ends in time.
 */
export class Poster implements Disposable {
  private readonly allowedHosts: readonly string[]
  private readonly resolve: Resolve
  private readonly timeoutMs: number
  // Connections that are used again were checked when they were made, and the rules are the same for all webhooks.
  private readonly http = new HttpAgent(agentOptions)
  private readonly https = new HttpsAgent(agentOptions)

  constructor({ allowedHosts, resolve = resolveHost, timeoutMs = TIMEOUT_MS }: PosterOptions) {
    this.allowedHosts = allowedHosts
    this.resolve = resolve
    this.timeoutMs = timeoutMs
  }

  /** Posts once. Never throws but when `stop` is aborted: then it breaks off and rejects. */
  async post(post: Post, stop?: AbortSignal): Promise<PostOutcome> {
    const started = performance.now()
    const ending = new AbortController()
    const timer = setTimeout(() => ending.abort(), this.timeoutMs)
    const onStop = () => ending.abort(new Stopped('stopped'))
    stop?.addEventListener('abort', onStop, { once: true })
    try {
      stop?.throwIfAborted()
      const outcome = await this.tryPost(post, ending.signal)
      return { ...outcome, durationMs: since(started) }
    } catch (error) {
      if (stop?.aborted) throw error
      const seconds = this.timeoutMs / 1_000
      const reason = ending.signal.aborted
        ? `no whole answer within ${seconds} s`
        : describeFault(error)
      return { ...failed(reason), durationMs: since(started) }
    } finally {
      clearTimeout(timer)
      stop?.removeEventListener('abort', onStop)
    }
  }

  [Symbol.dispose](): void {
    this.http.destroy()
    this.https.destroy()
  }

  private async tryPost(post: Post, signal: AbortSignal): Promise<Outcome> {
    const target = this.findTarget(post.url)
    if (!target) return { ...failed('the url is not allowed'), isRefused: true }
    const host = hostOf(target.url)
    const addresses = await untilAborted(this.resolve(host), signal)
    const isOpen = target.isAllowedHost || addresses.every((each) => isPublicAddress(each.address))
    if (!isOpen) return { ...failed('the host has an address that is not public'), isRefused: true }
    const pinned = { ...target, host, addresses }
    const sent = this.send(post, pinned, signal)
    try {
      return await sent.outcome
    } catch (error) {
      // Its receiver had just closed the connection that was kept: nothing can be told of the receiver.
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
    // Nobody asked for another protocol.
    request.on('upgrade', (_message, socket) => {
      socket.destroy()
      reject(Object.assign(new Error('the answer is an upgrade'), { code: 'HPE_UPGRADE' }))
    })
    request.on('response', (message) => {
      const status = message.statusCode ?? 0
      const retryAfter = message.headers['retry-after']
      readAnswer(message).then(
        (excerpt) =>
          resolve({ error: judgeStatus(status), httpStatus: status, excerpt, retryAfter }),
        reject,
      )
    })
  })
}

function judgeStatus(status: number): string | null {
  if (status >= 200 && status < 300) return null
  return REDIRECT.test(String(status))
    ? `answered ${status}: redirects are not followed`
    : `answered ${status}`
}

function failed(error: string): Outcome {
  return { error, httpStatus: null, excerpt: '' }
}

/** Gives a connection these addresses and asks nobody again. */
function pin(addresses: readonly Address[]): LookupFunction {
  return (_host, options, callback) => {
    if (options.all) return callback(null, [...addresses])
    const [first] = addresses
    callback(null, first?.address ?? '', first?.family)
  }
}

/** Host as sockets want it: without the brackets of IPv6 and the dot that may end a name. */
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
