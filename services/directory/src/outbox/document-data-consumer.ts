import type { TokenSigner } from '@sheaf/auth/caller-token'
import { AppError } from '@sheaf/kit/errors'
import { ChannelCache } from '@sheaf/kit/grpc/channel-cache'
import type { TlsFiles } from '@sheaf/kit/tls'
import { DocumentsServiceClientImpl } from '@sheaf/protos/sheaf/document_data/v1/documents'
import type { DeletionEntry } from '../db/outbox'
import { signDeletion } from './deletion-token'
import { DELETIONS, type OutboxConsumer } from './dispatcher'

/** Notifies document-data instances of deleted documents. */
export class DocumentDataConsumer implements OutboxConsumer<DeletionEntry> {
  readonly name = 'document-data'
  readonly concurrency = DELETIONS
  private readonly clients: ChannelCache<DocumentsServiceClientImpl>

  constructor(
    private readonly signer: TokenSigner,
    tls?: TlsFiles,
  ) {
    this.clients = new ChannelCache((channel) => new DocumentsServiceClientImpl(channel), { tls })
  }

  /**
   * Requests the document's home to remove its file; returns when the file has been deleted. Throws AppError.
   */
  async deliver({ docId, home, homeAddress }: DeletionEntry, deadline: number): Promise<void> {
    if (homeAddress === null)
      throw new AppError('unavailable', 'HOME_UNAVAILABLE', 'the instance has no address')
    const token = await signDeletion(this.signer, docId, home)
    await this.clients.at(homeAddress).deleteDocument({ docId }, { token, deadline })
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.clients[Symbol.asyncDispose]()
  }
}
