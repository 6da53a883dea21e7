import type { TokenSigner } from '@sheaf/auth/caller-token'
import { Closer } from '@sheaf/kit/lifecycle'
import type { Logger } from '@sheaf/kit/logger'
import type { TlsFiles } from '@sheaf/kit/tls'
import type { Kysely } from 'kysely'
import type { DirectorySchema } from '../db/schema'
import type { OutboxEntry } from '../db/outbox'
import { EventConsumer, type EventOptions } from './event-consumer'
import { OutboxDispatcher, type OutboxConsumer } from './dispatcher'
import { DocumentDataConsumer } from './document-data-consumer'
import { WebhookConsumer } from './webhook-consumer'

/** How the other services are reached. */
export interface OutboxRoutes {
  readonly signer: TokenSigner
  /** `host:port`. */
  readonly webhookAddress: string
  /** Certificates for the calls; plain text without. */
  readonly tls?: TlsFiles
  /** NATS, where events are published. */
  readonly events: EventOptions
}

/**
 * Notifies the other services of deleted documents, and publishes events, each independently. A service that
 * is to be notified of deletions needs a row in `outbox_consumers`, by a migration, and an entry here.
 */
export class Outbox implements AsyncDisposable {
  private readonly closer = new Closer()
  private readonly dispatchers: readonly Pick<OutboxDispatcher<OutboxEntry>, 'wake'>[]

  constructor(db: Kysely<DirectorySchema>, routes: OutboxRoutes, log: Logger) {
    const { signer, webhookAddress, tls, events } = routes
    const dispatch = <Entry extends OutboxEntry>(consumer: OutboxConsumer<Entry>) =>
      this.closer.use(new OutboxDispatcher(db, this.closer.use(consumer), log))
    this.dispatchers = [
      dispatch(new DocumentDataConsumer(signer, tls)),
      dispatch(new WebhookConsumer(signer, webhookAddress, tls)),
      dispatch(new EventConsumer(events)),
    ]
  }

  /** Starts delivery of pending entries; call it after a deletion, and once at start. Never throws. */
  wake(): void {
    for (const dispatcher of this.dispatchers) dispatcher.wake()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.closer.close()
  }
}
