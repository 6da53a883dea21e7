import { FIRST_TERM, releaseHead, type OpenedHead } from '@sheaf/document-log/heads'
import type { LogDatabase } from '@sheaf/document-log/log-database'
import { AppError } from '@sheaf/kit/errors'
import type { ReplicatorHost } from '../store/documents/replicator'
import type { DocumentCopies } from './document-copies'
import { storeFileTerm } from './file-position'
import type { LeavingDocuments } from './leaving-documents'
import { documentMoved } from './opening'

/** Dependencies of Release. */
export interface ReleaseParts {
  readonly database: LogDatabase
  readonly copies: Pick<DocumentCopies, 'update'>
  readonly leaving: LeavingDocuments
}

/** How a document is released. */
export interface ReleaseSteps {
  /** Opens the document in the log database. */
  readonly raiseTerm: () => Promise<OpenedHead>
  /** Pins the document to this instance. */
  readonly pin: () => Promise<void>
}

/**
 * Ends the replication of documents: the way back of Adoption, in the opposite order, so that the same table tells where the
 * truth lies at any moment. First the file has all of the log, and the term of an adoption that was interrupted; then the head
 * becomes local, from when on the truth is in the file; and only then the file can be used without replication.
 */
export class Release {
  constructor(
    private readonly parts: ReleaseParts,
    private readonly host: ReplicatorHost,
  ) {}

  /**
   * Ends the replication of a document that is ready for use on this instance. Returns whether it has entries to publish, or cells
   * that formulas still have to compute. If it cannot be pinned, its next use adopts it again.
   */
  async release(docId: string, { raiseTerm, pin }: ReleaseSteps): Promise<boolean> {
    const { files } = this.host
    // Its file can never leave the disk any more.
    if ((await files.lackingBytes()) > 0) throw diskFull()
    // While it is used: its log and its snapshot could make a damaged file again, and are about to be given up.
    await this.host.verifyFile(files.find(docId))
    return this.parts.leaving.handOver([docId], async () => {
      const head = await raiseTerm()
      if (!head.local) await this.end(docId, head)
      await pin()
      return head.unpublished || head.pending
    })
  }

  /** Nobody uses the document meanwhile. */
  private async end(docId: string, head: OpenedHead): Promise<void> {
    const { database, copies } = this.parts
    const { files } = this.host
    const tables = await database.tables()
    const { term } = await copies.update(tables, docId, head)
    const path = files.find(docId)
    // Without a log, this alone shows after a start that there are entries to publish.
    files.unpublished.set(docId)
    // Makes all of the file durable. An instance without replication does not use it as long as the log may be the truth.
    storeFileTerm(path, FIRST_TERM)
    const released = { doc: docId, term: head.term, lsn: head.lsn }
    if (!(await releaseHead(tables, released))) {
      storeFileTerm(path, term)
      throw documentMoved()
    }
    storeFileTerm(path, 0)
  }
}

function diskFull(): AppError {
  return new AppError(
    'unavailable',
    'DISK_FULL',
    'the disk of the instance has too little free space for a document that cannot leave it',
  )
}
