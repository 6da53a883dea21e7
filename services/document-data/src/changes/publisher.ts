import { setTimeout as delay } from 'node:timers/promises'
import { Backoff } from '@sheaf/kit/backoff'
import { toAppError } from '@sheaf/kit/errors'
import type { Logger } from '@sheaf/kit/logger'
import { connectNats } from '@sheaf/kit/nats'
import type { StreamLimits } from '@sheaf/kit/nats-stream'
import { WorkSpan } from '@sheaf/kit/telemetry/work-span'
import { encodeBytes } from '@sheaf/protos/bytes'
import { ChangeBatch } from '@sheaf/protos/sheaf/events/v1/changes'
import { jetstream, type JetStreamClient } from '@nats-io/jetstream'
import { headers, type NatsConnection } from '@nats-io/transport-node'
import type { PublishingPort } from '../store/documents/publishing-port'
import type { LogEntry } from '../store/log/log'
import { createEvent } from './events'
import { ensureChangeStream, subjectOf } from './stream'

/** Maximum number of requests that the span of a message links to. */
const MAX_LINKS = 32
/** Number of documents published concurrently. */
const CONCURRENCY = 64
/**
 * Delay before publishing changes that arrived while a message was in flight: under load this yields fewer,
 * larger messages.
 */
const LINGER_MS = 25
/** Timeout for the acknowledgement of a message by NATS. */
const CONFIRM_MS = 5_000
const RETRY = { firstMs: 100, longestMs: 5_000 }
/** Time that shutdown waits for messages in flight. */
const STOP_MS = 2_000
/**
 * The unpublished marker of a document is removed after this much time without writes, since setting it again
 * costs an fsync.
 */
const SETTLE_MS = 3_000

export interface PublisherOptions {
  readonly natsUrl: string
  /** Connection name shown by NATS. */
  readonly name: string
  readonly limits: StreamLimits
  readonly log: Logger
  /** Has a document published by the instance that has it now; undefined when there are no others. */
  readonly continueElsewhere?: (docId: string) => Promise<void>
  /** Called when NATS has confirmed entries of a document. */
  readonly onPublished?: (docId: string, entries: readonly LogEntry[]) => void
}

/**
 * Publishes the log of every document to NATS JetStream: in order per document, at least once, and without
 * blocking writes. While NATS is unreachable, entries stay in their logs; publishing is retried indefinitely.
 */
export class ChangePublisher implements AsyncDisposable {
  /** Documents with entries to publish, in order of arrival. */
  private readonly queue = new Set<string>()
  private readonly active = new Map<string, Promise<void>>()
  /** Documents that cannot be read, until their next retry. They do not delay other documents. */
  private readonly unreadable = new Map<string, { timer: NodeJS.Timeout; backoff: Backoff }>()
  /** Documents that are fully published but still marked as unpublished, with the time of publication. */
  private readonly quiet = new Map<string, number>()
  private readonly stop = new AbortController()
  /** Aborted when NATS becomes reachable again. */
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

  /** Number of documents with unacknowledged changes. */
  get backlog(): number {
    return new Set([...this.queue, ...this.active.keys(), ...this.unreadable.keys()]).size
  }

  /** Number of messages acknowledged since the start. */
  get published(): number {
    return this.confirmed
  }

  /** Connects to NATS, then publishes pending changes of earlier runs and new ones. */
  start(onConnected: (connected: boolean) => void): void {
    this.connecting = this.connect(onConnected).catch((error: unknown) => {
      if (!this.stop.signal.aborted)
        this.options.log.error({ err: error }, 'failed to connect to NATS')
    })
    this.documents.onLogged = (docId) => this.add(docId)
    void this.addUnpublished()
  }

  /** Finishes messages in flight. Documents with unacknowledged changes stay marked for the next start. */
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

  /** Resolves once the changes of earlier runs are in the queue, or the service stops. */
  private async addUnpublished(): Promise<void> {
    const backoff = new Backoff(RETRY)
    while (!this.stop.signal.aborted) {
      try {
        for (const docId of await this.documents.listUnpublished()) this.add(docId)
        return
      } catch (error) {
        const level = backoff.isFresh ? 'warn' : 'debug'
        this.options.log[level]({ err: error }, 'failed to list unpublished documents, retrying')
        await this.pause(backoff.nextDelay())
      }
    }
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
    const statuses = nats.status()
    await this.prepareStream(nats)
    connected()
    for await (const { type } of statuses) {
      if (type === 'disconnect') onConnected(false)
      if (type === 'reconnect') connected()
    }
  }

  /** Resolves when the stream exists, or the service stops. Until then the service reports NATS as not ready. */
  private async prepareStream(nats: NatsConnection): Promise<void> {
    const backoff = new Backoff(RETRY)
    while (!this.stop.signal.aborted) {
      try {
        return await this.ensureStream(nats)
      } catch (error) {
        const level = backoff.isFresh ? 'error' : 'debug'
        this.options.log[level](
          { err: error },
          'failed to create the change stream, so no events are published; retrying',
        )
        await this.pause(backoff.nextDelay())
      }
    }
  }

  private async ensureStream(nats: NatsConnection): Promise<void> {
    const { limits, log } = this.options
    const megabytes = await ensureChangeStream(nats, limits)
    if (megabytes >= limits.megabytes) return
    log.warn(
      { megabytes },
      'the change stream is smaller than SHEAF_CHANGES_MB, because NATS has too little storage',
    )
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

  /** Publishes all pending entries of a document. Never throws. */
  private async publishDocument(docId: string): Promise<void> {
    const backoff = new Backoff(RETRY)
    let gathered: Promise<unknown> | undefined
    while (!this.stop.signal.aborted) {
      let entries: LogEntry[]
      try {
        entries = await this.documents.nextBatch(docId, gathered)
      } catch (error) {
        // Gives up its slot: several unreadable documents would otherwise block all others.
        if (await this.isOver(docId, error)) this.unreadable.delete(docId)
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
        this.options.onPublished?.(docId, entries)
        backoff.reset()
        gathered = delay(LINGER_MS)
        this.failing = false
      } catch (error) {
        if (await this.isOver(docId, error)) return
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
    // With its first seq alone, a longer batch after a restart would be taken for a shorter one sent before.
    const msgID = `${docId}:${epoch}:${first.seq}-${entries.at(-1)?.seq ?? first.seq}`
    const options = { msgID, headers: traced, timeout: CONFIRM_MS }
    let isConfirmed = false
    try {
      await this.stream.publish(subjectOf(docId), batch, options).catch(async (error: unknown) => {
        // The stream may be missing: before the first message ever, or after it was deleted.
        if (this.nats) await this.ensureStream(this.nats)
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

  /** Whether nothing is left to publish here: the document was deleted, or another instance has it and publishes it. */
  private async isOver(docId: string, error: unknown): Promise<boolean> {
    const reason = toAppError(error)?.reason
    const isDeleted = reason === 'DOCUMENT_NOT_FOUND' || reason === 'DOCUMENT_DELETED'
    if (!isDeleted && !(reason === 'DOCUMENT_MOVED' && (await this.isMoved(docId)))) return false
    this.documents.forget(docId)
    return true
  }

  /** Whether another instance publishes the document; one that has not opened it yet is asked to. */
  private async isMoved(docId: string): Promise<boolean> {
    if (await this.documents.isElsewhere(docId)) return true
    await this.options.continueElsewhere?.(docId).catch((error: unknown) => {
      this.options.log.debug(
        { err: error, docId },
        'the next instance of a document did not prepare it',
      )
    })
    return false
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
        if (!(await this.isOver(docId, error)))
          this.options.log.warn({ err: error, docId }, 'failed to remove an unpublished marker')
      }
    }
    this.fill()
  }

  /** Logs one warning for all documents until a publish succeeds: when NATS is down, all of them fail. */
  private logFailure(docId: string, error: unknown): void {
    const level = this.failing ? 'debug' : 'warn'
    this.options.log[level]({ err: error, docId }, 'failed to publish changes, retrying')
    this.failing = true
  }

  /** Waits until the delay has passed, NATS is reachable again, or the service stops. */
  private async pause(ms: number): Promise<void> {
    const signal = AbortSignal.any([this.stop.signal, this.wake.signal])
    await delay(ms, undefined, { signal, ref: false }).catch(() => {})
  }
}

/** Starts the span of a message as a child of the request of its first traced entry, with links to others. */
function startSpan(entries: readonly LogEntry[]): WorkSpan | undefined {
  const [first, ...others] = entries.filter(({ traceparent }) => traceparent !== '')
  return WorkSpan.start('sheaf.changes.publish', {
    traceparent: first?.traceparent ?? '',
    kind: 'producer',
    attributes: {
      'messaging.system': 'nats',
      'messaging.operation.type': 'send',
      'messaging.batch.message_count': entries.length,
    },
    links: others.slice(0, MAX_LINKS).map(({ traceparent }) => traceparent),
  })
}
