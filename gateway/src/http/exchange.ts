import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { AppError, toAppError } from '@sheaf/kit/errors'
import type { Holder } from '@sheaf/kit/fair-share'
import { keepTrace, nameActiveSpan } from '@sheaf/kit/telemetry/request-span'
import { currentTraceparent } from '@sheaf/kit/telemetry/telemetry'
import type { CallContext } from '@sheaf/protos/call'
import type { Moment } from '@sheaf/protos/sheaf/document_data/v1/options'
import type { Response } from 'express'
import type { AccessQuestion, Grant } from '../access/access-cache'
import { clientAddress, networkOf } from '../limits/client-address'
import type { Context } from '../context'
import { Cookies } from '../sign-in/cookies'
import { countRequest, type CountedRequest } from '../metrics'
import { Cancellation } from './cancellation'

/** Request ids that are accepted from clients: they are copied to logs and headers verbatim. */
const SANE_REQUEST_ID = /^[\w.:-]{1,128}$/

/** Express's response, with its exchange. */
export type SheafResponse = Response<unknown, { exchange: Exchange }>

/** The properties of a matched route that an exchange needs. */
export interface RouteTraits {
  /** With parameters in OpenAPI syntax: `/api/docs/{docId}`. */
  readonly path: string
  /** True when the response may be as large as a table and may take correspondingly long. */
  readonly streams?: boolean
  /** True for routes that monitoring polls every few seconds: not logged. */
  readonly isProbe?: boolean
  /** True for an HTML page: its errors are pages too. */
  readonly isPage?: boolean
  /** True when it accepts access tokens of the identity provider, besides API keys. */
  readonly takesAccessTokens?: boolean
  /** True when nothing may store its responses, since they have secrets; browsers write other responses to disk. */
  readonly noStore?: boolean
  /** True for the most frequent routes, which are matched before Express. */
  readonly isHot?: boolean
}

/**
 * One step that requests pass before routing; returns true once it has responded. Throws AppError to reject.
 */
export type Stage = (exchange: Exchange) => boolean

/** One HTTP request with its response: the state that all stages of handling share. */
export class Exchange {
  readonly requestId: string
  /** Response headers, names and values alternating; written in one call, which is cheapest. */
  readonly headers: string[]
  /** Domain of the site addressed; empty when the URL names none. */
  site = ''
  /** The matched route. */
  route?: RouteTraits
  /** The credential presented; undefined for the anonymous user. */
  credential?: AccessQuestion['credential']
  /** True once the handler of the route runs: before that, the request has changed nothing. */
  isHandled = false
  /** True when a write is to keep nothing. */
  isDryRun = false
  /** The moment that a read is to show; undefined for the present. */
  asOf?: Moment
  /** What the instance of the document must understand: see `requireProtocol`. */
  neededProtocol = 0
  /** What a write that kept nothing would have changed, as members of a JSON object. */
  comparison?: Buffer
  /** Name of the tool that an agent called, if any. */
  tool?: string
  /** Epoch milliseconds by which the response must be complete. */
  deadline = Infinity
  private readonly startedAt = performance.now()
  /** Cancelled when the client disconnects or the deadline passes. */
  readonly cancellation = new Cancellation()
  private controller?: AbortController
  private timer?: NodeJS.Timeout
  private grant?: Grant
  /** Milliseconds spent on resolving access. */
  private accessMs?: number
  private isAdmitted = false
  /** Who the request is charged to: its user, or its network while that is not known. */
  private charged: Holder = {}
  private isCounted = false
  /** Releases what `countUnread` has charged. */
  private releaseUnread = () => {}
  /** Bytes of the body in memory, and who they are charged to. */
  private readonly kept: { bytes: number; holder: Holder } = { bytes: 0, holder: {} }

  constructor(
    readonly context: Context,
    readonly request: IncomingMessage,
    readonly response: ServerResponse,
  ) {
    const given = request.headers['x-request-id']
    const isSane = typeof given === 'string' && SANE_REQUEST_ID.test(given)
    this.requestId = isSane ? given : randomUUID()
    this.headers = ['X-Request-Id', this.requestId]
    response.once(
      'close',
      keepTrace(() => this.close()),
    )
  }

  /**
   * The same as an AbortSignal, for functions that accept nothing else, such as Node's own; created on first
   * use.
   */
  get signal(): AbortSignal {
    if (this.controller) return this.controller.signal
    const controller = new AbortController()
    this.controller = controller
    const { aborted, reason } = this.cancellation
    if (aborted) controller.abort(reason)
    return controller.signal
  }

  /** Id of the calling user, once it is known; else 0. */
  get userId(): number {
    return this.grant?.userId ?? 0
  }

  /** The cookies of the request. */
  get cookies(): Cookies {
    return new Cookies(this.request, this.context.config)
  }

  /** Milliseconds since the request arrived. */
  get elapsedMs(): number {
    return performance.now() - this.startedAt
  }

  /**
   * Value of Server-Timing: milliseconds elapsed, those spent on resolving access, and the trace id if there
   * is one.
   */
  get timing(): string {
    const { accessMs, elapsedMs } = this
    const access = accessMs === undefined ? '' : `access;dur=${round(accessMs)}, `
    const traceparent = currentTraceparent()
    const traced = traceparent && `, traceparent;desc="${traceparent}"`
    return `${access}total;dur=${round(elapsedMs)}${traced}`
  }

  /** Who the request is charged to. */
  get holder(): Holder {
    return this.charged
  }

  /**
   * Admits the request, before any other work. Throws AppError `too_many` beyond the share of its user or network,
   * `unavailable` under overload.
   */
  admit(): void {
    this.charged = this.findHolder()
    this.context.load.begin(this.charged)
    this.isAdmitted = true
  }

  /**
   * Throws AppError when the memory budget has no room for this many bytes of a body: `too_many` beyond the share of
   * the holder, otherwise `unavailable`.
   */
  requireRoom(bytes: number): void {
    this.context.load.requireRoom(this.charged, bytes)
  }

  /** Charges a part of the body to the memory budget until the response is sent. Throws as `requireRoom`. */
  keep(bytes: number): void {
    const { kept, context } = this
    if (kept.bytes === 0) kept.holder = this.charged
    context.load.requireRoom(kept.holder, bytes, kept.bytes)
    context.load.keep(kept.holder, bytes)
    kept.bytes += bytes
  }

  /** Releases the body's memory: it has been processed, or is not needed. */
  dropBody(): void {
    const { kept, context } = this
    if (kept.bytes > 0) context.load.release(kept.holder, kept.bytes)
    kept.bytes = 0
  }

  /**
   * Lets the request wait, with its body, for a home of its document; returns a function that ends that, or undefined when
   * too many wait already.
   */
  hold(): (() => void) | undefined {
    return this.context.load.hold(this.charged, this.kept.bytes)
  }

  /** Sets the matched route, and starts its time limit. */
  begin(route: RouteTraits): void {
    const { requestMs, streamMs } = this.context.config.timeouts
    const limitMs = route.streams ? streamMs : requestMs
    this.route = route
    nameActiveSpan(this.request.method ?? '', route.path)
    this.deadline = Date.now() + limitMs
    this.timer = setTimeout(() => this.expire(), limitMs)
  }

  /**
   * Resolves the caller and their access to `document`, and counts the request against their rate limit.
   * Throws AppError `too_many` beyond it, and as AccessCache does.
   */
  async authorize(document: string): Promise<Grant> {
    const { credential, site, context, requestId } = this
    const { access, rates } = context
    const question: AccessQuestion = { credential, document, site }
    const asked = performance.now()
    try {
      this.grant =
        access.find(question) ?? (await rates.ask(this, () => access.get(question, requestId)))
    } catch (error) {
      if (credential && toAppError(error)?.code === 'unauthenticated')
        rates.known.remove(credential.secret)
      // A denied request counts; one with an invalid key, or without a decision, has no caller to charge.
      if (isRefusal(error)) this.count()
      if (isSessionEnd(error)) this.headers.push('Set-Cookie', this.cookies.forgetSession())
      throw error
    } finally {
      this.accessMs = performance.now() - asked
    }
    this.count()
    // Those who use forms have no account: they stay with their networks.
    if (credential && credential.kind !== 'formKey')
      this.identify(credential.secret, this.grant.userId)
    return this.grant
  }

  /** Charges the request to its user from now on. */
  private identify(secret: string, userId: number): void {
    const { context, charged } = this
    context.rates.known.add(secret, userId)
    if (charged.user === userId || !this.isAdmitted) return
    const holder = { user: userId }
    context.load.move(charged, holder)
    this.charged = holder
  }

  /** The user of a credential that was good lately; otherwise the network. */
  private findHolder(): Holder {
    const { authorization = '', cookie } = this.request.headers
    const secret = /^Bearer\s+(\S+)$/.exec(authorization)?.[1] ?? (cookie && this.cookies.session)
    const user = secret ? this.context.rates.known.findUser(secret) : undefined
    return user === undefined ? { network: networkOf(this.address()), isAnonymous: true } : { user }
  }

  /** Address of the client. */
  address(): string {
    return clientAddress(this.request, this.context.config.proxies)
  }

  /** Returns the call context for a request to another service on the caller's behalf. */
  call(token = this.grant?.token): CallContext {
    return { token, deadline: this.deadline, signal: this.cancellation, requestId: this.requestId }
  }

  /**
   * Throws AppError when the caller must read earlier responses before it gets one of this many bytes: `too_many`
   * beyond its share, otherwise `unavailable`.
   */
  requireReader(bytes: number): void {
    this.context.load.requireReader(this.charged, bytes)
  }

  /** Charges what its client has not read of a response that was sent whole, until it has. */
  countUnread(): void {
    const { context, response, charged } = this
    const { writableLength, destroyed } = response
    // A destroyed response has been closed already, which is when it is released.
    if (writableLength === 0 || destroyed) return
    this.releaseUnread = context.load.keepUnread(charged, writableLength)
  }

  /** Breaks the connection if the client does not read the rest of the response, which has ended, in time. */
  expectRead(): void {
    const { writableEnded, writableLength } = this.response
    // While a rest is being compressed, the response has not ended.
    if (writableEnded && writableLength === 0) return
    clearTimeout(this.timer)
    this.timer = setTimeout(() => this.expire(), this.context.config.timeouts.unreadMs)
  }

  /**
   * Ends a response that has begun and cannot be completed, so that no client takes it for complete: the connection is
   * reset. An orderly end is the end of the body for HTTP/1.0 clients, and for those that do not check the last chunk.
   */
  breakOff(): void {
    const { response } = this
    response.socket?.resetAndDestroy()
    response.destroy()
  }

  private count(): void {
    if (this.isCounted) return
    this.isCounted = true
    this.context.rates.count(this, this.headers)
  }

  private expire(): void {
    this.abort(new AppError('timeout', 'REQUEST_TIMEOUT', 'request timed out'))
    if (this.response.headersSent) this.breakOff()
  }

  private close(): void {
    clearTimeout(this.timer)
    this.dropBody()
    this.releaseUnread()
    const { context, response, route } = this
    if (this.isAdmitted) context.load.end(this.charged)
    // The user may be found only now; nothing is charged to them then.
    this.isAdmitted = false
    if (!response.writableFinished)
      this.abort(new AppError('unavailable', 'CLIENT_GONE', 'client disconnected'))
    const { elapsedMs: ms } = this
    // 499: the client disconnected before a response was sent.
    const status = response.headersSent ? response.statusCode : 499
    const facts = { method: this.request.method, route: route?.path ?? 'none', status, ms }
    countRequest(facts)
    if (!route?.isProbe) this.log('info', facts)
    else if (context.requestLog.isLevelEnabled('debug')) this.log('debug', facts)
  }

  private abort(reason: AppError): void {
    this.cancellation.abort(reason)
    this.controller?.abort(reason)
  }

  private log(level: 'debug' | 'info', { method, route, status, ms }: CountedRequest): void {
    const { response, requestId, grant } = this
    const { requestLog: log } = this.context
    log[level](
      {
        requestId,
        method,
        route,
        status,
        ms: round(ms),
        userId: grant?.userId,
        docId: grant?.document?.docId,
        tool: this.tool,
        incomplete: response.writableFinished ? undefined : true,
      },
      'request',
    )
  }
}

/** Rounds milliseconds to tenths. */
function round(ms: number): number {
  return Math.round(ms * 10) / 10
}

/**
 * True when the presented session has ended: the browser is instructed to drop its cookie, and the request
 * continues anonymously.
 */
export function isSessionEnd(error: unknown): boolean {
  return toAppError(error)?.reason === 'SESSION_ENDED'
}

/** True for a denial of directory to a caller whom it has identified. */
function isRefusal(error: unknown): boolean {
  const { code } = toAppError(error) ?? {}
  return code === 'forbidden' || code === 'not_found' || code === 'invalid'
}
