import { KEEPS, requireProtocol } from '@sheaf/auth/require-protocol'
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
   * Requests an instance to remove the document; returns when it is deleted, which any replicated instance can do for
   * another one. Throws AppError: `unavailable` also when the document is to be kept and the instance is older than that,
   * since it would remove it at once.
   */
  async deliver({ docId, keeps, recipient }: DeletionEntry, deadline: number): Promise<void> {
    if (recipient === null)
      throw new AppError('unavailable', 'HOME_UNAVAILABLE', 'no instance can be notified')
    if (keeps) requireProtocol(recipient.protocol, KEEPS)
    const token = await signDeletion(this.signer, docId, recipient.home)
    await this.clients.at(recipient.address).deleteDocument({ docId, keeps }, { token, deadline })
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.clients[Symbol.asyncDispose]()
  }
}
