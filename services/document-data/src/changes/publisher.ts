import { setTimeout as delay } from 'node:timers/promises'
import { Backoff } from '@sheaf/kit/backoff'
import { toAppError } from '@sheaf/kit/errors'
import type { Logger } from '@sheaf/kit/logger'
import { connectNats } from '@sheaf/kit/nats'
import { WorkSpan } from '@sheaf/kit/telemetry/work-span'
import { encodeBytes } from '@sheaf/protos/bytes'
import { ChangeBatch } from '@sheaf/protos/sheaf/events/v1/changes'
import { jetstream, type JetStreamClient } from '@nats-io/jetstream'
import { headers, type NatsConnection } from '@nats-io/transport-node'
import type { PublishingPort } from '../store/documents/publishing-port'
import type { LogEntry } from '../store/log/log'
import { createEvent } from './events'
import { ensureStream, subjectOf, type StreamLimits } from './stream'

/** Requests that the span of a message is linked to. */
const MAX_LINKS = 32
/** Documents whose changes are on their way at the same time. */
const CONCURRENCY = 64
/** What comes while a message is on its way waits this much longer, so that under load fewer messages hold more of it. */
const LINGER_MS = 25
/** How long NATS may take to confirm a message. */
const CONFIRM_MS = 5_000
const RETRY = { firstMs: 100, longestMs: 5_000 }
/** How long stopping waits for messages that are on their way. */
const STOP_MS = 2_000
/** A document's dirty mark goes when nothing was written for this long: setting it again costs an fsync. */
const SETTLE_MS = 3_000

/** What a ChangePublisher needs. */
export interface PublisherOptions {
  readonly natsUrl: string
  /** Name of the connection as NATS shows it. */
  readonly name: string
  readonly limits: StreamLimits
  readonly log: Logger
}

/**
 * Publishes the log of every document to NATS JetStream: in order per document, at least once, never in the way of a
 * write. While NATS is away entries wait in their logs; it tries for ever.
 */
export class ChangePublisher implements AsyncDisposable {
  /** Documents with entries to publish, in the order in which they came. */
  private readonly queue = new Set<string>()
  private readonly active = new Map<string, Promise<void>>()
  /** Documents that cannot be read, until they are tried again: whatever is wrong with them is theirs alone. */
  private readonly unreadable = new Map<string, { timer: NodeJS.Timeout; backoff: Backoff }>()
  /** Documents that are published but still marked, and since when. */
  private readonly quiet = new Map<string, number>()
  private readonly stop = new AbortController()
  /** Aborted when NATS can be reached again. */
  private wake = new AbortController()
  private failing = false
  private confirmed = 0
  private nats: NatsConnection | undefined
  private stream: JetStreamClient | undefined
  private connecting: Promise<void> | undefined
  private readonly settling: NodeJS.Timeout

  constructor(
    private readonly documents: PublishingPort,
    private readonly options: PublisherOptions,
  ) {
    this.settling = setInterval(() => void this.settleQuiet(Date.now() - SETTLE_MS), 1000)
    this.settling.unref()
  }

  /** Documents with changes that NATS has not confirmed. */
  get backlog(): number {
    return new Set([...this.queue, ...this.active.keys(), ...this.unreadable.keys()]).size
  }

  /** Messages that NATS has confirmed since the start. */
  get published(): number {
    return this.confirmed
  }

  /** Connects to NATS and publishes what earlier runs left and what comes. */
  start(onConnected: (connected: boolean) => void): void {
    this.connecting = this.connect(onConnected).catch((error: unknown) => {
      if (!this.stop.signal.aborted)
        this.options.log.error({ err: error }, 'failed to connect to NATS')
    })
    this.documents.onLogged = (docId) => this.add(docId)
    for (const docId of this.documents.listUnpublished()) this.add(docId)
  }

  /** Ends what is on its way; what is not confirmed stays marked for the next start. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.documents.onLogged = () => {}
    clearInterval(this.settling)
    for (const { timer } of this.unreadable.values()) clearTimeout(timer)
    this.stop.abort()
    await Promise.race([
      Promise.all(this.active.values()),
      delay(STOP_MS, undefined, { ref: false }),
    ])
    await this.settleQuiet(Infinity)
    await this.nats?.close()
    await this.connecting
  }

  private async connect(onConnected: (connected: boolean) => void): Promise<void> {
    const { natsUrl, name, log } = this.options
    const nats = await connectNats({ url: natsUrl, name, log, signal: this.stop.signal })
    if (this.stop.signal.aborted) return nats.close()
    this.nats = nats
    this.stream = jetstream(nats)
    const connected = () => {
      onConnected(true)
      this.wake.abort()
      this.wake = new AbortController()
    }
    connected()
    for await (const { type } of nats.status()) {
      if (type === 'disconnect') onConnected(false)
      if (type === 'reconnect') connected()
    }
  }

  private add(docId: string): void {
    this.quiet.delete(docId)
    clearTimeout(this.unreadable.get(docId)?.timer)
    this.queue.add(docId)
    this.fill()
  }

  private fill(): void {
    for (const docId of this.queue) {
      if (this.active.size >= CONCURRENCY || this.stop.signal.aborted) return
      if (this.active.has(docId)) continue
      this.queue.delete(docId)
      const run = this.publishDocument(docId).finally(() => {
        this.active.delete(docId)
        this.fill()
      })
      this.active.set(docId, run)
    }
  }

  /** Publishes all that a document's log holds. Never throws. */
  private async publishDocument(docId: string): Promise<void> {
    const backoff = new Backoff(RETRY)
    let gathered: Promise<unknown> | undefined
    while (!this.stop.signal.aborted) {
      let entries: LogEntry[]
      try {
        entries = await this.documents.nextBatch(docId, gathered)
      } catch (error) {
        // It must not keep its place: enough of its kind would hold up all others.
        if (this.isGone(docId, error)) this.unreadable.delete(docId)
        else this.postpone(docId, error)
        return
      }
      this.unreadable.delete(docId)
      if (entries.length === 0) {
        this.quiet.set(docId, Date.now())
        return
      }
      try {
        await this.publish(docId, entries)
        this.documents.confirmPublished(docId, entries.at(-1)?.seq ?? 0)
        backoff.reset()
        gathered = delay(LINGER_MS)
        this.failing = false
      } catch (error) {
        if (this.isGone(docId, error)) return
        this.logFailure(docId, error)
        await this.pause(backoff.nextDelay())
      }
    }
  }

  private async publish(docId: string, entries: readonly LogEntry[]): Promise<void> {
    const first = entries[0]
    if (!this.stream || !this.nats || !first) throw new Error('not connected to NATS yet')
    const epoch = this.documents.epochOf(docId)
    const changes = entries.map((entry) => createEvent(entry, { docId, oldValues: true }))
    const batch = encodeBytes(ChangeBatch, { changes, epoch })
    const span = startSpan(entries)
    const traced = headers()
    const traceparent = span?.traceparent ?? first.traceparent
    if (traceparent !== '') traced.set('traceparent', traceparent)
    const msgID = `${docId}:${epoch}:${first.seq}`
    const options = { msgID, headers: traced, timeout: CONFIRM_MS }
    let isConfirmed = false
    try {
      await this.stream.publish(subjectOf(docId), batch, options).catch(async (error: unknown) => {
        // The stream may be missing: at the first message ever, or when somebody deleted it.
        if (this.nats) await ensureStream(this.nats, this.options.limits)
        await this.stream?.publish(subjectOf(docId), batch, options).catch(() => {
          throw error
        })
      })
      isConfirmed = true
      this.confirmed++
    } finally {
      span?.end(!isConfirmed)
    }
  }

  /** A document that was deleted has nothing to publish. */
  private isGone(docId: string, error: unknown): boolean {
    const reason = toAppError(error)?.reason
    if (reason !== 'DOCUMENT_NOT_FOUND' && reason !== 'DOCUMENT_DELETED') return false
    this.documents.forget(docId)
    return true
  }

  private postpone(docId: string, error: unknown): void {
    const backoff = this.unreadable.get(docId)?.backoff ?? new Backoff(RETRY)
    const level = backoff.isFresh ? 'warn' : 'debug'
    this.options.log[level]({ err: error, docId }, 'failed to read changes of a document')
    if (this.stop.signal.aborted) return
    const timer = setTimeout(() => this.add(docId), backoff.nextDelay())
    timer.unref()
    this.unreadable.set(docId, { timer, backoff })
  }

  private async settleQuiet(before: number): Promise<void> {
    for (const [docId, since] of this.quiet) {
      if (since > before) continue
      this.quiet.delete(docId)
      try {
        if (!(await this.documents.settle(docId))) this.queue.add(docId)
      } catch (error) {
        if (!this.isGone(docId, error))
          this.options.log.warn({ err: error, docId }, 'failed to remove an unpublished marker')
      }
    }
    this.fill()
  }

  /** Once for all documents, until one succeeds: when NATS is away, all of them fail. */
  private logFailure(docId: string, error: unknown): void {
    const level = this.failing ? 'debug' : 'warn'
    this.options.log[level]({ err: error, docId }, 'failed to publish changes, retrying')
    this.failing = true
  }

  /** Waits; less when NATS is there again or the service stops. */
  private async pause(ms: number): Promise<void> {
    const signal = AbortSignal.any([this.stop.signal, this.wake.signal])
    await delay(ms, undefined, { signal, ref: false }).catch(() => {})
  }
}

/** The span of a message, below the request of its first entry that is traced, and linked to those of some others. */
function startSpan(entries: readonly LogEntry[]): WorkSpan | undefined {
  const [first, ...others] = entries.filter(({ traceparent }) => traceparent !== '')
  return WorkSpan.start('sheaf.changes.publish', {
    traceparent: first?.traceparent ?? '',
    isProducer: true,
    attributes: {
      'messaging.system': 'nats',
      'messaging.operation.type': 'send',
      'messaging.batch.message_count': entries.length,
    },
    links: others.slice(0, MAX_LINKS).map(({ traceparent }) => traceparent),
  })
}
