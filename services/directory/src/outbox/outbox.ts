import type { TokenSigner } from '@sheaf/kit/caller-token'
import type { Logger } from '@sheaf/kit/logger'
import type { Kysely } from 'kysely'
import type { DirectorySchema } from '../db/schema'
import { OutboxDispatcher } from './dispatcher'
import { DocumentDataConsumer } from './document-data-consumer'

/**
 * What the other services have to hear of, and their ways of hearing it. A further consumer needs a row in
 * `outbox_consumers`, by a migration, and its place here.
 */
export class Outbox implements AsyncDisposable {
  private readonly documentData: DocumentDataConsumer
  private readonly dispatcher: OutboxDispatcher

  constructor(db: Kysely<DirectorySchema>, signer: TokenSigner, log: Logger) {
    this.documentData = new DocumentDataConsumer(signer)
    this.dispatcher = new OutboxDispatcher(db, { 'document-data': this.documentData }, log)
  }

  /** Delivers what there is now; to be called after something was written, and once to start. Never throws. */
  wake(): void {
    this.dispatcher.wake()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.dispatcher[Symbol.asyncDispose]()
    await this.documentData[Symbol.asyncDispose]()
  }
}
