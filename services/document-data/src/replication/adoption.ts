import { existsSync, statSync } from 'node:fs'
import { listDeleted } from '@sheaf/document-log/deleted-heads'
import { adoptHead, FIRST_TERM, listLogged, type OpenedHead } from '@sheaf/document-log/heads'
import type { LogDatabase } from '@sheaf/document-log/log-database'
import type { ReplicatorHost } from '../store/documents/replicator'
import { logBehind } from './document-copies'
import {
  isInLog,
  isWrittenSince,
  migrateFile,
  readFileFormat,
  readFilePosition,
  storeFileTerm,
} from './file-position'
import type { HomeAssignment } from './home-lease'
import type { LeavingDocuments } from './leaving-documents'
import { documentMoved } from './opening'
import type { StoredFiles } from './objects/stored-files'
import type { SnapshotJobs } from './snapshot-jobs'

/** Documents that are looked for in the log database at once. */
const STEP = 1000
/** Bytes of a file that is stored in one piece of work while nobody uses it. */
const SMALL_BYTES = 4 * 1024 * 1024

/** Under what a document is used. */
type Assigned = Pick<HomeAssignment, 'assignment' | 'writeFormat' | 'pinned'>

/** Dependencies of Adoption. */
export interface AdoptionParts {
  readonly database: LogDatabase
  readonly stored: StoredFiles
  readonly snapshots: Pick<SnapshotJobs, 'store'>
  readonly leaving: LeavingDocuments
}

/**
 * The documents of this instance that are on its disk alone, since it has written them without replication, until each has a
 * log. Where the truth lies follows from what is durable:
 *
 * - The log database has a head that is not local: in the log, whatever the file says.
 * - It has a local head, which names this instance, or none: in the file. Its term is 0; or FIRST_TERM after an adoption or a
 *   release that was interrupted, which cannot take effect any more once the document is opened. A file with a greater term
 *   has been written with a log that is lost. Without a head, one with FIRST_TERM may have begun such a log, and is then the
 *   document only if no other instance has had it.
 */
export class Adoption {
  constructor(
    private readonly parts: AdoptionParts,
    private readonly host: ReplicatorHost,
  ) {}

  /** Whether a document without a head is in the file of this instance. Throws `unavailable` when its log is lost. */
  hasFile(docId: string, { assignment, writeFormat, pinned }: Assigned): boolean {
    if (!existsSync(this.host.files.pathOf(docId))) return false
    const mayBeOld = !pinned && assignment > 0
    if (this.requireFile(docId, writeFormat) === FIRST_TERM && mayBeOld) throw logBehind()
    return true
  }

  /**
   * Throws `unavailable` when the file of this instance has been written later than under a local head of another one, of this
   * term: each opening raises it, so the log database was restored to an earlier moment.
   */
  requireNoLaterFile(docId: string, term: number): void {
    if (isWrittenSince(this.host.files.pathOf(docId), term)) throw logBehind()
  }

  /**
   * Prepares the file of a document with a local head of this instance for use, and returns its format. Throws `not_found`
   * without a file, and `unavailable` when its log is lost.
   */
  useFile(docId: string, writeFormat: number): number {
    const path = this.host.files.find(docId)
    // An instance without replication would refuse it otherwise.
    if (this.requireFile(docId, writeFormat) !== 0) storeFileTerm(path, 0)
    return readFileFormat(path)
  }

  /**
   * See LocalDocuments.adopt.
   * @param raiseTerm opens the document in the log database
   */
  async adopt(docId: string, raiseTerm: () => Promise<OpenedHead>): Promise<void> {
    const path = this.host.files.find(docId)
    // What has not changed until the end is then stored already, so that calls wait only for the rest.
    if (this.host.isOpen(docId) || statSync(path).size > SMALL_BYTES)
      await this.parts.snapshots.store(docId, path)
    await this.parts.leaving.handOver([docId], async () => {
      // An earlier attempt whose outcome is unknown has taken effect by now, or cannot any more.
      const { local, term } = await raiseTerm()
      if (local) await this.begin(docId, term)
    })
  }

  /**
   * Stores a document with a local head that nobody uses, and begins its log. Throws as `useFile`, and `unavailable` when it
   * cannot be stored or a later opening has raised the term.
   */
  async adoptClosed(docId: string, term: number, writeFormat: number): Promise<void> {
    this.useFile(docId, writeFormat)
    await this.begin(docId, term)
  }

  /** See LocalDocuments.listStored. */
  async listStored(docIds: readonly string[]): Promise<string[]> {
    return listLogged(await this.parts.database.tables(), docIds)
  }

  /** See LocalDocuments.removeDeleted. */
  async removeDeleted(): Promise<void> {
    const waiting: string[] = []
    for await (const docId of this.host.files.list())
      if (waiting.push(docId) === STEP) await this.removeSome(waiting.splice(0))
    await this.removeSome(waiting)
  }

  /** Nobody uses the document meanwhile. */
  private async begin(docId: string, term: number): Promise<void> {
    const { database, stored, snapshots } = this.parts
    const path = this.host.files.find(docId)
    // Before the log begins: an instance without replication must not write the file from then on.
    storeFileTerm(path, FIRST_TERM)
    const snapshot = await snapshots.store(docId, path)
    const tables = await database.tables()
    const format = readFileFormat(path)
    if (await adoptHead(tables, { doc: docId, term, format }, snapshot)) return
    // A later opening may have adopted it, and then been asked to delete and keep it.
    const [deleted] = await listDeleted(tables, [docId])
    if (deleted?.lsn === 0) await stored.remove(docId)
    throw documentMoved()
  }

  /** The term of the file of this instance. Throws `unavailable` when it has been written with a log. */
  private requireFile(docId: string, writeFormat: number): number {
    const path = this.host.files.find(docId)
    migrateFile(path, writeFormat)
    const { term } = readFilePosition(path)
    if (term > 0) throw logBehind()
    return term
  }

  private async removeSome(docIds: readonly string[]): Promise<void> {
    const deleted = await listDeleted(await this.parts.database.tables(), docIds)
    const { files } = this.host
    for (const { doc, isKept, lsn } of deleted)
      await files.remove(doc, isKept && !isInLog(files.pathOf(doc), lsn))
  }
}
