import { ChannelCache } from '@sheaf/kit/grpc/channel-cache'
import { openChannel } from '@sheaf/kit/grpc/client'
import { AccessServiceClientImpl } from '@sheaf/protos/sheaf/directory/v1/access'
import {
  DocumentsServiceClientImpl,
  type DeletedDocument,
} from '@sheaf/protos/sheaf/directory/v1/documents'
import { DocumentsServiceClientImpl as ContentsClientImpl } from '@sheaf/protos/sheaf/document_data/v1/documents'
import type { Moment } from '@sheaf/protos/sheaf/document_data/v1/options'
import { createSystemCall, type OperatorTarget } from '../operator'

/** A large document has to be made from its snapshot, and stored as another one. */
const MAKE_MS = 600_000
const PAGE = 1_000

/** A deleted document, and what is to be made of it. */
export interface Undeletion {
  readonly docId: string
  readonly workspaceId: number
  /** Name of the new document; empty for that of the deleted one. */
  readonly name: string
  /** Absent for its last moment. */
  readonly asOf: Moment | undefined
}

/** The documents that were deleted for good and are kept. Its methods throw the AppError of the services. */
export interface DeletedDocuments extends AsyncDisposable {
  /** Those of all sites, latest deletion first. */
  list(): AsyncGenerator<DeletedDocument>
  /** Makes one again; resolves to the UUID of the new document. */
  undelete(undeletion: Undeletion): Promise<string>
}

/** Opens access to deleted documents; connects with the first call. */
export function openDeletedDocuments(target: OperatorTarget): DeletedDocuments {
  const { directoryAddress, serviceKey, tls } = target
  const channel = openChannel({ address: directoryAddress, tls })
  const contents = new ChannelCache((each) => new ContentsClientImpl(each), { tls })
  const documents = new DocumentsServiceClientImpl(channel)
  const asSystem = createSystemCall(new AccessServiceClientImpl(channel), serviceKey)
  return {
    async *list() {
      let pageToken: string | undefined
      do {
        const request = { limit: PAGE, pageToken }
        const page = await documents.listDeletedDocuments(request, await asSystem())
        yield* page.documents
        pageToken = page.nextPageToken
      } while (pageToken !== undefined)
    },
    async undelete({ docId: deletedDocId, workspaceId, name, asOf }) {
      const request = { docId: deletedDocId, workspaceId, name }
      const { document } = await documents.undeleteDocument(request, await asSystem())
      if (!document) throw new Error('directory reserved no document')
      const { docId, homeAddress } = document
      try {
        const call = { ...(await asSystem()), deadline: Date.now() + MAKE_MS }
        await contents.at(homeAddress).createFromDeleted({ docId, deletedDocId, asOf }, call)
      } catch (error) {
        // Directory discards it by itself, later.
        await documents.discardDocument({ docId }, await asSystem()).catch(() => {})
        throw error
      }
      await documents.publishDocument({ docId }, await asSystem())
      return docId
    },
    async [Symbol.asyncDispose]() {
      await contents[Symbol.asyncDispose]()
      await channel[Symbol.asyncDispose]()
    },
  }
}
