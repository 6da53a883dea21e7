import { AppError } from '@sheaf/kit/errors'
import type { Logger } from '@sheaf/kit/logger'
import { connectNats } from '@sheaf/kit/nats'
import { ensureStream, type StreamLimits } from '@sheaf/kit/nats-stream'
import { jetstream } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'
import type { EventEntry } from '../db/outbox'
import type { OutboxConsumer } from './dispatcher'
import { createMessage, SUBJECTS } from './event-message'

/** The stream with the events of all documents and of access to them. */
const STREAM = 'SHEAF_DIRECTORY'

/** Where events are published. */
export interface EventOptions {
  readonly natsUrl: string
  readonly limits: StreamLimits
  readonly log: Logger
}

/**
 * Publishes events of documents and access to NATS JetStream, in their order. While NATS is unreachable they
 * stay in the outbox, and no change waits for them.
 */
export class EventConsumer implements OutboxConsumer<EventEntry> {
  readonly name = 'events'
  /** One after the other, which keeps their order. */
  readonly concurrency = 1
  private readonly stop = new AbortController()
  private readonly connecting: Promise<void>
  private nats?: NatsConnection
  private hasStream = false

  constructor(private readonly options: EventOptions) {
    this.connecting = this.connect()
  }

  /** Publishes one event; returns when NATS has stored it. Throws AppError `unavailable`. */
  async deliver(entry: EventEntry, deadline: number): Promise<void> {
    const { id, subject, data } = createMessage(entry)
    try {
      const nats = await this.prepare()
      const timeout = Math.max(1, deadline - Date.now())
      await jetstream(nats).publish(subject, data, { msgID: id, timeout })
    } catch (error) {
      this.hasStream = false // it may have been deleted
      const message = error instanceof Error ? error.message : 'failed to publish an event'
      throw new AppError('unavailable', 'SERVICE_UNAVAILABLE', `NATS: ${message}`)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.stop.abort()
    await this.connecting
    await this.nats?.close()
  }

  private async connect(): Promise<void> {
    const { natsUrl, log } = this.options
    try {
      const connection = { url: natsUrl, name: 'sheaf-directory', log, signal: this.stop.signal }
      this.nats = await connectNats(connection)
    } catch (error) {
      if (!this.stop.signal.aborted) log.error({ err: error }, 'failed to connect to NATS')
    }
  }

  private async prepare(): Promise<NatsConnection> {
    if (!this.nats) throw new Error('not connected yet')
    if (!this.hasStream)
      await ensureStream(this.nats, { name: STREAM, subjects: [SUBJECTS], ...this.options.limits })
    this.hasStream = true
    return this.nats
  }
}
