import type { TokenSigner } from '@sheaf/auth/caller-token'
import { AppError } from '@sheaf/kit/errors'
import { openChannel, type GrpcChannel } from '@sheaf/kit/grpc/client'
import type { TlsFiles } from '@sheaf/kit/tls'
import { DocumentsServiceClientImpl } from '@sheaf/protos/sheaf/document_data/v1/documents'
import type { OutboxEntry } from '../db/outbox'
import { signDeletion } from './deletion-token'
import type { OutboxConsumer } from './dispatcher'

/** Notifies document-data instances of deleted documents. */
export class DocumentDataConsumer implements OutboxConsumer {
  readonly name = 'document-data'
  /** Channels by name of the instance. */
  private readonly channels = new Map<string, GrpcChannel>()

  constructor(
    private readonly signer: TokenSigner,
    private readonly tls?: TlsFiles,
  ) {}

  /**
   * Requests the document's home to remove its file; returns when the file has been deleted. Throws AppError.
   */
  async deliver({ docId, home, homeAddress }: OutboxEntry, deadline: number): Promise<void> {
    if (homeAddress === null)
      throw new AppError('unavailable', 'HOME_UNAVAILABLE', 'the instance has no address')
    const token = await signDeletion(this.signer, docId, home)
    const documents = new DocumentsServiceClientImpl(this.channelTo(home, homeAddress))
    await documents.deleteDocument({ docId }, { token, deadline })
  }

  private channelTo(home: string, address: string): GrpcChannel {
    const known = this.channels.get(home)
    if (known?.address === address) return known
    known?.close()
    const channel = openChannel({ address, tls: this.tls })
    this.channels.set(home, channel)
    return channel
  }

  [Symbol.asyncDispose](): Promise<void> {
    for (const channel of this.channels.values()) channel.close()
    this.channels.clear()
    return Promise.resolve()
  }
}
