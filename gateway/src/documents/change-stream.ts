import { setTimeout as delay } from 'node:timers/promises'
import { AppError, toAppError } from '@sheaf/kit/errors'
import type { CallContext } from '@sheaf/protos/call'
import type { ReadChangesResponse } from '@sheaf/protos/sheaf/document_data/v1/changes'
import type { DocumentSession } from '../routing/document-session'
import { isRefusedByHome } from '../routing/repeat-call'
import type { Exchange } from '../http/exchange'
import { ResponsePacer } from '../limits/response-pacing'
import { sendHead } from '../http/reply'
import { writeChunk } from './record-stream'
import { ChangeWriter } from './change-json'
import { changesRequest, redactionOf, requireReached, toClientError } from './change-feed'
import { addStateHeaders } from './conditional-requests'
import { PresenceFeed } from './presence-feed'

/** How long document-data waits for a change; after that, access is checked again. */
const WAIT_MS = 2_000
/**
 * Additional time for a response before document-data counts as stalled; time spent waiting for the client is
 * excluded.
 */
const RESPONSE_MS = 20_000
/** A comment is sent after this much silence, so that no intermediary drops the connection as idle. */
const HEARTBEAT_MS = 15_000
/** A stream ends this long before its time limit, between two changes. */
const EARLY_MS = 5_000
const RETRY_MS = 500
/** Without a decision about access that is newer, nobody is shown who is present. */
const MAX_GRANT_MS = 10_000
/** Of the ETag of a stream, which is no copy of any other format. */
const TAG_SUFFIX = '-events'
const HEARTBEAT = Buffer.from(':\n\n')
const passing = new Set<AppError['code']>(['unavailable', 'too_many', 'timeout'])

/** Which stream is wanted. */
interface WantedStream {
  /** Position after which it begins. */
  readonly since: number
  /** Makes the caller present in the document under this name; undefined for a stream of changes only. */
  readonly sessionId: string | undefined
}

/**
 * Sends server-sent events: all changes after `since`, then each new one, until the client disconnects, its
 * access or the document is removed, the time limit is reached or the gateway stops. Access is resolved again
 * every few seconds. Throws errors that occur before the first byte.
 */
export async function streamChanges(
  exchange: Exchange,
  document: DocumentSession,
  { since, sessionId }: WantedStream,
): Promise<void> {
  const leave = exchange.context.load.changeStreams.acquire(exchange.holder, document.docId)
  const stream = new ChangeStream(exchange, document, since)
  try {
    if (!(await stream.begin())) return
    stream.showPresence(sessionId)
    await stream.follow()
  } finally {
    stream.hidePresence()
    leave()
  }
}

/** True for an error that may have gone a moment later, also because the document has another home then. */
function isTransient(error: unknown): boolean {
  const known = toAppError(error)
  return known !== undefined && (passing.has(known.code) || isRefusedByHome(known))
}

type Responses = AsyncGenerator<ReadChangesResponse, undefined, undefined>

/** Yields the responses of a call, and cancels the call when one is overdue: AppError `timeout`. */
async function* responsesInTime(
  open: (call: CallContext) => AsyncIterable<ReadChangesResponse>,
  call: CallContext,
  waitMs: number,
): Responses {
  const ended = new AbortController()
  const end = () => ended.abort(call.signal?.reason)
  call.signal?.addEventListener('abort', end, { once: true })
  if (call.signal?.aborted) end()
  const responses = open({ ...call, signal: ended.signal })[Symbol.asyncIterator]()
  const next = async (ms: number) => {
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      ended.abort()
    }, ms)
    try {
      return await responses.next()
    } catch (error) {
      if (!isLate) throw error
      throw new AppError('timeout', 'DEADLINE_EXCEEDED', 'request timed out')
    } finally {
      clearTimeout(timer)
    }
  }
  try {
    let response = await next(waitMs + RESPONSE_MS)
    for (; !response.done; response = await next(RESPONSE_MS)) yield response.value
  } finally {
    call.signal?.removeEventListener('abort', end)
    await responses.return?.()
  }
}

class ChangeStream {
  private readonly writer = new ChangeWriter()
  private epoch = ''
  private sentAt = 0
  private askedAt = 0
  private grantedAt = performance.now()
  private presence: PresenceFeed | undefined

  constructor(
    private readonly exchange: Exchange,
    private readonly document: DocumentSession,
    private after: number,
  ) {}

  /** Sends the changes that exist. Returns false when none can follow. */
  async begin(): Promise<boolean> {
    try {
      await this.send(0)
    } catch (error) {
      if (!this.exchange.response.headersSent) throw toClientError(error)
      if (this.canContinue(error)) return true
      this.abort(error)
      return false
    }
    return true
  }

  /** Makes the caller present under this name, if there is one, and sends who is. */
  showPresence(sessionId: string | undefined): void {
    if (sessionId === undefined) return
    this.presence = new PresenceFeed(this.document, sessionId, () => this.sendPresence())
  }

  /** The caller is no longer present. */
  hidePresence(): void {
    this.presence?.[Symbol.dispose]()
  }

  /** Sends new changes until the stream ends. */
  async follow(): Promise<void> {
    const { response, signal } = this.exchange
    while (!this.isOver()) {
      try {
        // Sent first, so that the client keeps waiting while a service is unavailable.
        if (performance.now() - this.sentAt > HEARTBEAT_MS) await this.write(HEARTBEAT)
        await this.renew()
        this.sendPresence()
        await this.send(WAIT_MS)
      } catch (error) {
        if (!this.canContinue(error)) return this.abort(error)
        await delay(RETRY_MS, undefined, { signal }).catch(() => {})
      }
    }
    response.end()
  }

  private isOver(): boolean {
    const { response, signal, context, deadline } = this.exchange
    const isLate = Date.now() > deadline - EARLY_MS
    return response.destroyed || signal.aborted || isLate || context.isDraining()
  }

  /** Sends the changes that follow, and waits for one when there is none. */
  private async send(waitMs: number): Promise<void> {
    const { document, exchange } = this
    const { role } = document
    const request = changesRequest(document, { afterSeq: this.after, limit: 0 }, waitMs)
    const { responses, first } = await document.read(async (home, call) => {
      const open = (call: CallContext) => home.changes.readChanges(request, call)
      const responses = responsesInTime(open, call, waitMs)
      return { responses, first: await responses.next() }
    })
    try {
      if (first.done) throw new Error('document-data sent no state')
      this.checkState(first.value)
      // A caller who lost access during the wait receives none of the changes made since.
      await this.renew()
      if (!exchange.response.headersSent) await this.open(first.value.etag)
      await this.pass(responses, role)
    } finally {
      await responses.return(undefined)
    }
  }

  /** Forwards responses that were requested with this role. */
  private async pass(responses: Responses, role: DocumentSession['role']): Promise<void> {
    const { context, signal } = this.exchange
    let next = await responses.next()
    if (next.done) return
    using answer = new ResponsePacer(context.load, signal)
    for (; !next.done; next = await responses.next()) {
      const { change } = next.value
      if (!change) continue
      if (!(await this.mayPass(role))) return
      const start = this.writer.isMidway ? '' : `id: ${change.seq}\nevent: change\ndata: `
      const { text, isWhole } = this.writer.write(next.value)
      const end = isWhole ? '\n\n' : ''
      await this.write(Buffer.concat([Buffer.from(start), text, Buffer.from(end)]))
      if (isWhole) this.after = change.seq
      this.sendPresence()
      await answer.pace(text.length)
    }
  }

  /**
   * Returns false for responses requested with another role, since they may contain more than the current
   * role may see; they are requested again.
   */
  private async mayPass(role: DocumentSession['role']): Promise<boolean> {
    const { document, writer } = this
    // The client may take long to read one batch.
    if (performance.now() - this.askedAt > WAIT_MS)
      await this.renew().catch((error: unknown) => {
        if (!writer.isMidway || !isTransient(error)) throw error
      })
    if (document.role === role) return true
    if (writer.isMidway) throw new Error('the role of the caller changed during a change')
    return false
  }

  /**
   * Sends the latest list of who is present, if it has not been sent: between two changes, and only to a client that has read what
   * was sent before, so that no lists queue up.
   */
  private sendPresence(): void {
    const { response } = this.exchange
    if (this.writer.isMidway || response.writableNeedDrain || response.writableEnded) return
    if (performance.now() - this.grantedAt > MAX_GRANT_MS) return
    const list = this.presence?.take()
    if (list === undefined) return
    this.sentAt = performance.now()
    response.write(`event: presence\ndata: ${list}\n\n`)
  }

  private async renew(): Promise<void> {
    this.askedAt = performance.now()
    await this.document.renew()
    this.grantedAt = performance.now()
  }

  /** True for an error after which the stream can continue at its position. */
  private canContinue(error: unknown): boolean {
    return !this.writer.isMidway && isTransient(error)
  }

  /** A document that was replaced has another log, in which this position is meaningless. */
  private checkState({ latestSeq, etag }: ReadChangesResponse): void {
    const epoch = etag.slice(0, etag.lastIndexOf('.'))
    if (this.epoch !== '' && this.epoch !== epoch)
      throw new AppError('conflict', 'CHANGES_CUT', 'the document was replaced, read it again')
    this.epoch = epoch
    requireReached(this.after, latestSeq)
  }

  /** The epoch in the ETag tells a client that connects again whether the log is still the one of its position. */
  private async open(tag: string): Promise<void> {
    const etag = tag + redactionOf(this.document)
    addStateHeaders(this.exchange, { etag }, { tagSuffix: TAG_SUFFIX })
    sendHead(this.exchange, {
      mediaType: 'text/event-stream; charset=utf-8',
      cache: 'no-cache, no-transform',
      // Common proxies buffer responses unless they are instructed not to.
      headers: ['X-Accel-Buffering', 'no'],
    })
    await this.write(Buffer.from('retry: 1000\n\n'))
  }

  private async write(bytes: Buffer): Promise<void> {
    this.sentAt = performance.now()
    await writeChunk(this.exchange, bytes)
  }

  /** Ends a response that has begun. The client discards an incomplete event. */
  private abort(error: unknown): void {
    const { response, context, requestId, signal } = this.exchange
    const known = toAppError(error)
    if (!known || this.writer.isMidway || response.destroyed || signal.aborted) {
      if (!signal.aborted)
        context.log.warn({ requestId, err: error }, 'a change stream was interrupted')
      this.exchange.breakOff()
      return
    }
    const data = JSON.stringify({ error: known.message, details: { reason: known.reason } })
    response.end(`event: end\ndata: ${data}\n\n`)
  }
}
