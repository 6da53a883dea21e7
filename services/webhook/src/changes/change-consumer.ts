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

/** The stream of all changes, which document-data makes. */
const STREAM = 'SHEAF_CHANGES'
/** What is not acknowledged for so long is delivered again, to any instance. */
const ACK_WAIT_MS = 60_000
/** Messages on their way to all instances together, and to one. */
const MAX_ACK_PENDING = 2_000
const MAX_MESSAGES = 100
/** How long a call for messages waits; half of it without a sign of life means that the connection or stream is gone. */
const EXPIRES_MS = 10_000
/** A consumer that nobody uses for so long is removed by NATS; it is made anew when somebody comes. */
const UNUSED_MS = 7 * 24 * 3600 * 1000
const RETRY_MS = 500
/** What could not even be noted is delivered again after this. */
const AGAIN_MS = 2_000
/** How long leaving waits for acknowledgements to be sent. */
const FLUSH_MS = 1_000

/** What a ChangeConsumer needs. */
export interface ConsumerOptions {
  readonly natsUrl: string
  /** Name of the durable consumer that all instances share. */
  readonly consumerName: string
  readonly log: Logger
  /** Takes a message that concerns documents with webhooks; resolves when the next one may come. */
  readonly onMessage: (message: ChangeMessage) => Promise<void>
  /** False for a document whose changes matter to nobody. */
  readonly wants: (docId: string) => boolean
  /** Called when messages may have been missed, since the consumer had to be made. */
  readonly onGap: () => Promise<void>
  /** Told whenever NATS comes within reach or gets out of it. */
  readonly onConnected: (connected: boolean) => void
}

/** Hears of changes from NATS JetStream, for ever: waits for NATS, the stream and the consumer, which it makes when needed. */
export class ChangeConsumer implements AsyncDisposable {
  private readonly stop = new AbortController()
  private nats: NatsConnection | undefined
  private running: Promise<void> | undefined
  private failing = false
  /** Ends the call for messages that is under way, so that another one begins. */
  private renew = () => {}

  constructor(private readonly options: ConsumerOptions) {}

  /** Begins to listen; does not wait for NATS. */
  start(): void {
    this.running = this.run().catch((error: unknown) => {
      if (!this.stop.signal.aborted)
        this.options.log.error({ err: error }, 'the change subscription ended')
    })
  }

  /** Takes no more messages; those that were taken can still be acknowledged. */
  async pause(): Promise<void> {
    this.stop.abort()
    await this.running
  }

  /** Leaves NATS. What was taken and not acknowledged is delivered again. */
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
      // NATS knows nothing of the call any more, which would notice that only by and by.
      this.renew()
    }
  }

  /** A new consumer begins with what comes; what came before is in the logs. */
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
    if (this.stop.signal.aborted) end() // meanwhile
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

  /** Once until it works again: as long as nothing was ever written there is no stream. */
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

/** What NATS says when there is no such stream or consumer. */
function isMissing(error: unknown): boolean {
  return error instanceof JetStreamApiError && error.status === 404
}
