import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { AppError, toAppError } from '@sheaf/kit/errors'
import { keepTrace, nameActiveSpan } from '@sheaf/kit/telemetry/request-span'
import { currentTraceparent } from '@sheaf/kit/telemetry/telemetry'
import type { CallContext } from '@sheaf/protos/call'
import type { Response } from 'express'
import type { AccessQuestion, Grant } from '../access/access-cache'
import { clientAddress } from '../limits/client-address'
import type { Context } from '../context'
import { Cookies } from '../sign-in/cookies'
import type { Credential } from '../access/credential'
import { countRequest, type CountedRequest } from '../metrics'
import { Cancellation } from './cancellation'

/** Ids that may be taken over from the client: they go into logs and headers as they are. */
const SANE_REQUEST_ID = /^[\w.:-]{1,128}$/

/** Express's response, with the exchange that it belongs to. */
export type SheafResponse = Response<unknown, { exchange: Exchange }>

/** What an exchange needs to know of the route that it matched. */
export interface RouteTraits {
  /** With parameters as OpenAPI writes them: `/api/docs/{docId}`. */
  readonly path: string
  /** True when the answer is as large as a table, and may take as long. */
  readonly streams?: boolean
  /** True for what is asked every few seconds by machines: not logged. */
  readonly isProbe?: boolean
  /** True for a page for people: its errors are pages too. */
  readonly isPage?: boolean
  /** True for what is asked most, which is matched before Express. */
  readonly isHot?: boolean
}

/** One step that requests take before they are routed; true when it has answered. Throws AppError to refuse. */
export type Stage = (exchange: Exchange) => boolean

/** One HTTP request and its answer: what every stage of handling them needs to know. */
export class Exchange {
  readonly requestId: string
  /** Headers of the answer, names and values in turn; sent in one go, which is what costs least. */
  readonly headers: string[]
  /** Domain of the site addressed; empty when the URL names none. */
  site = ''
  /** The route that the request matched. */
  route?: RouteTraits
  /** What was presented; undefined for the anonymous user. */
  credential?: Credential
  /** Epoch milliseconds by which the answer must be complete. */
  deadline = Infinity
  private readonly startedAt = performance.now()
  /** Cancelled when the client has gone or time is up. */
  readonly cancellation = new Cancellation()
  private controller?: AbortController
  private timer?: NodeJS.Timeout
  private grant?: Grant
  /** How long it took to find out who calls, in milliseconds. */
  private accessMs?: number
  private isAdmitted = false
  private isCounted = false
  /** Of the body, and in whose name. */
  private readonly kept = { bytes: 0, owner: '' }

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

  /** The same for what takes nothing but an AbortSignal, such as Node's own functions; made when it is first asked for. */
  get signal(): AbortSignal {
    if (this.controller) return this.controller.signal
    const controller = new AbortController()
    this.controller = controller
    const { aborted, reason } = this.cancellation
    if (aborted) controller.abort(reason)
    return controller.signal
  }

  /** The user who calls, once that is known; else 0. */
  get userId(): number {
    return this.grant?.userId ?? 0
  }

  /** The cookies of the browser that asks. */
  get cookies(): Cookies {
    return new Cookies(this.request, this.context.config)
  }

  /** Milliseconds since the request came. */
  get elapsedMs(): number {
    return performance.now() - this.startedAt
  }

  /**
   * Value of Server-Timing: how long it took so far, in milliseconds, and of that to find out who calls; and the trace, when
   * there is one.
   */
  get timing(): string {
    const { accessMs, elapsedMs } = this
    const access = accessMs === undefined ? '' : `access;dur=${round(accessMs)}, `
    const traceparent = currentTraceparent()
    const traced = traceparent && `, traceparent;desc="${traceparent}"`
    return `${access}total;dur=${round(elapsedMs)}${traced}`
  }

  /** Takes the request on, before anything is done for it. Throws AppError `unavailable` when there is too much to do. */
  admit(): void {
    this.context.load.begin()
    this.isAdmitted = true
  }

  /** Throws AppError `unavailable` when there is no room for so much of a body. */
  requireRoom(bytes: number): void {
    this.context.load.requireRoom(String(this.grant?.userId ?? ''), bytes)
  }

  /** Keeps a part of the body until the answer is sent. Throws as `requireRoom`. */
  keep(bytes: number): void {
    const { kept, context, grant } = this
    if (kept.bytes === 0) kept.owner = String(grant?.userId ?? '')
    context.load.requireRoom(kept.owner, bytes, kept.bytes)
    context.load.keep(kept.owner, bytes)
    kept.bytes += bytes
  }

  /** The body is not wanted any more, or has been answered. */
  dropBody(): void {
    const { kept, context } = this
    if (kept.bytes > 0) context.load.release(kept.owner, kept.bytes)
    kept.bytes = 0
  }

  /** Tells the route that was matched, and starts the clock that it sets. */
  begin(route: RouteTraits): void {
    const { requestMs, streamMs } = this.context.config.timeouts
    const limitMs = route.streams ? streamMs : requestMs
    this.route = route
    nameActiveSpan(this.request.method ?? '', route.path)
    this.deadline = Date.now() + limitMs
    this.timer = setTimeout(() => this.expire(), limitMs)
  }

  /**
   * Asks who calls, and what they may do with `document`, and counts the request as theirs. Throws AppError `too_many`
   * when they have made too many, and as AccessCache does.
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
      // Who is refused has asked all the same; who has a wrong key, or got no answer, has been nobody.
      if (isRefusal(error)) this.count()
      if (isSessionEnd(error)) this.headers.push('Set-Cookie', this.cookies.forgetSession())
      throw error
    } finally {
      this.accessMs = performance.now() - asked
    }
    this.count()
    return this.grant
  }

  /** Address that the request came from. */
  address(): string {
    return clientAddress(this.request, this.context.config.proxies)
  }

  /** What goes beside a request to another service on the caller's behalf. */
  call(token = this.grant?.token): CallContext {
    return { token, deadline: this.deadline, signal: this.cancellation, requestId: this.requestId }
  }

  private count(): void {
    if (this.isCounted) return
    this.isCounted = true
    this.context.rates.count(this, this.headers)
  }

  private expire(): void {
    this.abort(new AppError('timeout', 'REQUEST_TIMEOUT', 'request timed out'))
    if (this.response.headersSent) this.response.destroy()
  }

  private close(): void {
    clearTimeout(this.timer)
    this.dropBody()
    const { context, response, route } = this
    if (this.isAdmitted) context.load.end()
    if (!response.writableFinished)
      this.abort(new AppError('unavailable', 'CLIENT_GONE', 'client disconnected'))
    const { elapsedMs: ms } = this
    // 499: nothing was answered because the client went away first.
    const status = response.headersSent ? response.statusCode : 499
    const told = { method: this.request.method, route: route?.path ?? 'none', status, ms }
    countRequest(told)
    if (!route?.isProbe) this.log('info', told)
    else if (context.log.isLevelEnabled('debug')) this.log('debug', told)
  }

  private abort(reason: AppError): void {
    this.cancellation.abort(reason)
    this.controller?.abort(reason)
  }

  private log(level: 'debug' | 'info', { method, route, status, ms }: CountedRequest): void {
    const { context, response, requestId, grant } = this
    context.log[level](
      {
        requestId,
        method,
        route,
        status,
        ms: round(ms),
        userId: grant?.userId,
        incomplete: response.writableFinished ? undefined : true,
      },
      'request',
    )
  }
}

/** Milliseconds to a tenth. */
function round(ms: number): number {
  return Math.round(ms * 10) / 10
}

/** True when the session that was presented is over: the browser is told to forget it, and goes on without. */
export function isSessionEnd(error: unknown): boolean {
  return toAppError(error)?.reason === 'SESSION_ENDED'
}

/** True for an answer of directory to a caller whom it knows. */
function isRefusal(error: unknown): boolean {
  const { code } = toAppError(error) ?? {}
  return code === 'forbidden' || code === 'not_found' || code === 'invalid'
}
