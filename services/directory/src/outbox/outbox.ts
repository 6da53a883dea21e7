import type { TokenSigner } from '@sheaf/auth/caller-token'
import { Closer } from '@sheaf/kit/lifecycle'
import type { Logger } from '@sheaf/kit/logger'
import type { TlsFiles } from '@sheaf/kit/tls'
import type { Kysely } from 'kysely'
import type { DirectorySchema } from '../db/schema'
import { OutboxDispatcher } from './dispatcher'
import { DocumentDataConsumer } from './document-data-consumer'
import { WebhookConsumer } from './webhook-consumer'

/** How the other services are reached. */
export interface OutboxRoutes {
  readonly signer: TokenSigner
  /** `host:port`. */
  readonly webhookAddress: string
  /** Certificates for the calls; plain text without. */
  readonly tls?: TlsFiles
}

/**
 * Notifies the other services of deleted documents, each independently. A new consumer needs a row in
 * `outbox_consumers`, by a migration, and an entry here.
 */
export class Outbox implements AsyncDisposable {
  private readonly closer = new Closer()
  private readonly dispatchers: readonly OutboxDispatcher[]

  constructor(db: Kysely<DirectorySchema>, routes: OutboxRoutes, log: Logger) {
    const { signer, webhookAddress, tls } = routes
    const consumers = [
      new DocumentDataConsumer(signer, tls),
      new WebhookConsumer(signer, webhookAddress, tls),
    ]
    this.dispatchers = consumers.map((consumer) => {
      this.closer.use(consumer)
      return this.closer.use(new OutboxDispatcher(db, consumer, log))
    })
  }

  /** Starts delivery of pending entries; call it after a deletion, and once at start. Never throws. */
  wake(): void {
    for (const dispatcher of this.dispatchers) dispatcher.wake()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.closer.close()
  }
}
