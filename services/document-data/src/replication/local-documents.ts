import type { LocalDocuments, ReplicatorHost } from '../store/documents/replicator'
import type { DocumentCopies } from './document-copies'
import type { DocumentHeads } from './document-heads'
import type { LeavingDocuments } from './leaving-documents'
import { documentMoved, type Opening } from './opening'
import { Release } from './release'
import type { SnapshotParts } from './snapshot-jobs'

/** What the documents on the disk of this instance alone need of all its documents. */
interface OpenedDocuments {
  /** See Replicator. */
  prepare(docId: string): Promise<void> | undefined
  resume(docId: string): Promise<void>
  /** A document that is ready for use. */
  find(docId: string): Opening | undefined
}

/** Dependencies of OwnDocuments. */
interface OwnDocumentsParts extends Pick<SnapshotParts, 'database'> {
  readonly copies: DocumentCopies
  readonly heads: DocumentHeads
  readonly leaving: LeavingDocuments
}

/** The documents on the disk of this instance alone, and the way there and back. */
export class OwnDocuments implements LocalDocuments {
  private readonly releases: Release

  constructor(
    private readonly documents: OpenedDocuments,
    private readonly parts: OwnDocumentsParts,
    private readonly host: ReplicatorHost,
  ) {
    this.releases = new Release(parts, host)
  }

  async adopt(docId: string): Promise<void> {
    const { heads } = this.parts
    const opening = await this.open(docId)
    if (!opening.isLocal) return
    await heads.adoption.adopt(docId, () => this.raiseTerm(opening))
  }

  async release(docId: string, pin: () => Promise<void>): Promise<void> {
    const opening = await this.open(docId)
    if (opening.isLocal) return pin()
    const raiseTerm = () => this.raiseTerm(opening)
    if (!(await this.releases.release(docId, { raiseTerm, pin }))) return
    await this.documents.resume(docId)
    this.host.logged(docId)
  }

  listStored(docIds: readonly string[]): Promise<string[]> {
    return this.parts.heads.adoption.listStored(docIds)
  }

  removeDeleted(): Promise<void> {
    return this.parts.heads.adoption.removeDeleted()
  }

  private async open(docId: string): Promise<Opening> {
    await this.parts.leaving.settled()
    await this.documents.prepare(docId)
    const opening = this.documents.find(docId)
    if (!opening) throw documentMoved()
    return opening
  }

  private raiseTerm({ docId, assignment, format: writeFormat }: Opening) {
    return this.parts.heads.open(docId, { assignment, writeFormat, pinned: true })
  }
}
