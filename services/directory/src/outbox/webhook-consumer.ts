import type { TokenSigner } from '@sheaf/auth/caller-token'
import { openChannel, type GrpcChannel } from '@sheaf/kit/grpc/client'
import type { TlsFiles } from '@sheaf/kit/tls'
import { DocumentsServiceClientImpl } from '@sheaf/protos/sheaf/webhook/v1/documents'
import type { DeletionEntry } from '../db/outbox'
import { signDeletion } from './deletion-token'
import { DELETIONS, type OutboxConsumer } from './dispatcher'

/** Notifies the webhook service of deleted documents. */
export class WebhookConsumer implements OutboxConsumer<DeletionEntry> {
  readonly name = 'webhook'
  readonly concurrency = DELETIONS
  private readonly channel: GrpcChannel
  private readonly documents: DocumentsServiceClientImpl

  constructor(
    private readonly signer: TokenSigner,
    address: string,
    tls?: TlsFiles,
  ) {
    this.channel = openChannel({ address, tls })
    this.documents = new DocumentsServiceClientImpl(this.channel)
  }

  /** Requests removal of the document's webhooks; returns when they have been deleted. Throws AppError. */
  async deliver({ docId, home }: DeletionEntry, deadline: number): Promise<void> {
    const token = await signDeletion(this.signer, docId, home)
    await this.documents.deleteDocument({ docId }, { token, deadline })
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.channel[Symbol.asyncDispose]()
  }
}
