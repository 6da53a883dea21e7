import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from '@sheaf/kit/logger'
import { connectNats } from '@sheaf/kit/nats'
import { ChangeBatch } from '@sheaf/protos/sheaf/events/v1/changes'
import {
  AckPolicy,
  DeliverPolicy,
  jetstream,
  JetStreamApiError,
  jetstreamManager,
  type JsMsg,
} from '@nats-io/jetstream'
import { nanos, type NatsConnection } from '@nats-io/transport-node'
import type { ChangeMessage } from './match-queue'

/** The stream of all changes; document-data creates it. */
const STREAM = 'SHEAF_CHANGES'
/** A message that is not acknowledged within this time is redelivered, to any instance. */
const ACK_WAIT_MS = 60_000
/** Unacknowledged messages of all instances together, and of one. */
const MAX_ACK_PENDING = 2_000
const MAX_MESSAGES = 100
/** Duration of a pull request; half of it without a heartbeat means that the connection or stream is gone. */
const EXPIRES_MS = 10_000
/** NATS removes a consumer that is unused for this long; it is recreated when needed. */
const UNUSED_MS = 7 * 24 * 3600 * 1000
const RETRY_MS = 500
/** A message that could not even be recorded is redelivered after this. */
const AGAIN_MS = 2_000
/** How long shutdown waits for acknowledgements to be sent. */
const FLUSH_MS = 1_000

/** Dependencies of a ChangeConsumer. */
export interface ConsumerOptions {
  readonly natsUrl: string
  /** Name of the durable consumer that all instances share. */
  readonly consumerName: string
  readonly log: Logger
  /** Accepts a message about documents with webhooks; resolves when the next one may follow. */
  readonly onMessage: (message: ChangeMessage) => Promise<void>
  /** False for a document without webhooks. */
  readonly wants: (docId: string) => boolean
  /** Called when messages may have been missed, since the consumer had to be created. */
  readonly onGap: () => Promise<void>
  /** Called whenever the connection to NATS is established or lost. */
  readonly onConnected: (connected: boolean) => void
}

/**
 * Receives changes from NATS JetStream until disposed of: waits for NATS and the stream, and creates the
 * consumer when needed.
 */
export class ChangeConsumer implements AsyncDisposable {
  private readonly stop = new AbortController()
  private nats: NatsConnection | undefined
  private running: Promise<void> | undefined
  private failing = false
  /** Ends the current pull request, so that another one begins. */
  private renew = () => {}

  constructor(private readonly options: ConsumerOptions) {}

  /** Starts to listen; does not wait for NATS. */
  start(): void {
    this.running = this.run().catch((error: unknown) => {
      if (!this.stop.signal.aborted)
        this.options.log.error({ err: error }, 'the change subscription ended')
    })
  }

  /** Stops receiving; received messages can still be acknowledged. */
  async pause(): Promise<void> {
    this.stop.abort()
    await this.running
  }

  /** Disconnects from NATS. Messages without an acknowledgement are redelivered. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.pause()
    const { nats } = this
    if (!nats) return
    const sent = nats.flush().catch(() => {})
    await Promise.race([sent, delay(FLUSH_MS, undefined, { ref: false })])
    await nats.close()
  }

  private async run(): Promise<void> {
    const { natsUrl, consumerName: name, log, onConnected } = this.options
    const { signal } = this.stop
    const nats = await connectNats({ url: natsUrl, name, log, signal })
    if (signal.aborted) return nats.close()
    this.nats = nats
    onConnected(true)
    void this.watch(nats)
    while (!signal.aborted) {
      try {
        await this.ensureConsumer(nats)
        await this.consume(nats)
      } catch (error) {
        this.logFailure(error)
      }
      await delay(RETRY_MS, undefined, { signal, ref: false }).catch(() => {})
    }
  }

  private async watch(nats: NatsConnection): Promise<void> {
    for await (const { type } of nats.status()) {
      if (type === 'disconnect') this.options.onConnected(false)
      if (type !== 'reconnect') continue
      this.options.onConnected(true)
      // After a reconnect NATS no longer knows the pull request, which would notice that only after a while.
      this.renew()
    }
  }

  /** A new consumer starts with new messages; earlier changes are in the logs. */
  private async ensureConsumer(nats: NatsConnection): Promise<void> {
    const { consumerName, onGap } = this.options
    const { consumers } = await jetstreamManager(nats)
    const known = await consumers.info(STREAM, consumerName).catch((error: unknown) => {
      if (isMissing(error)) return undefined
      throw error
    })
    if (known) return
    await consumers.add(STREAM, {
      durable_name: consumerName,
      ack_policy: AckPolicy.Explicit,
      deliver_policy: DeliverPolicy.New,
      ack_wait: nanos(ACK_WAIT_MS),
      max_ack_pending: MAX_ACK_PENDING,
      max_deliver: -1,
      inactive_threshold: nanos(UNUSED_MS),
    })
    await onGap()
  }

  private async consume(nats: NatsConnection): Promise<void> {
    const consumer = await jetstream(nats).consumers.get(STREAM, this.options.consumerName)
    const messages = await consumer.consume({
      max_messages: MAX_MESSAGES,
      expires: EXPIRES_MS,
      abort_on_missing_resource: true,
    })
    const end = () => messages.stop()
    this.renew = end
    this.stop.signal.addEventListener('abort', end, { once: true })
    if (this.stop.signal.aborted) end() // aborted meanwhile
    try {
      for await (const message of messages) {
        this.failing = false
        await this.take(message)
        if (this.stop.signal.aborted) return
      }
    } finally {
      this.stop.signal.removeEventListener('abort', end)
      await messages.close()
    }
  }

  private async take(message: JsMsg): Promise<void> {
    const { wants, onMessage, log } = this.options
    const docId = message.subject.split('.').at(-1) ?? ''
    if (!wants(docId)) return message.ack()
    const batch = decode(message)
    if (!batch) {
      log.error({ docId }, 'a message of the change stream is unreadable, reading the log instead')
    }
    await onMessage({
      docId,
      epoch: batch?.epoch ?? '',
      entries: batch?.changes ?? [],
      traceparent: message.headers?.get('traceparent') ?? '',
      done: () => message.ack(),
      failed: () => message.nak(AGAIN_MS),
    })
  }

  /** Logged once until it works again: the stream does not exist before the first write. */
  private logFailure(error: unknown): void {
    if (this.stop.signal.aborted) return
    const level = this.failing || isMissing(error) ? 'debug' : 'warn'
    this.options.log[level]({ err: error }, 'failed to subscribe to changes, retrying')
    this.failing = true
  }
}

function decode({ data }: JsMsg) {
  try {
    const batch = ChangeBatch.decode(data)
    return batch.changes.length > 0 ? batch : undefined
  } catch {
    return undefined
  }
}

/** True for the error of NATS for a missing stream or consumer. */
function isMissing(error: unknown): boolean {
  return error instanceof JetStreamApiError && error.status === 404
}
