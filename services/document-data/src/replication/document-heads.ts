import { createHead, createLocalHead, openHead, type OpenedHead } from '@sheaf/document-log/heads'
import { toAppError } from '@sheaf/kit/errors'
import type { NewDocumentFile, ReplicatorHost } from '../store/documents/replicator'
import { FIRST_FORMAT, formats, writableFormat } from '../store/sqlite/migrations/index'
import { Adoption } from './adoption'
import type { LeavingDocuments } from './leaving-documents'
import { documentMoved } from './opening'
import { readFileFormat } from './file-position'
import { migrateByRecord } from './format-migration'
import type { FoundUnusable, HomeAssignment, HomeLease } from './home-lease'
import { encodeRecord } from './record-body'
import type { SnapshotJobs, SnapshotParts } from './snapshot-jobs'

/** Dependencies of DocumentHeads. */
interface HeadParts extends Pick<SnapshotParts, 'log' | 'database' | 'stored'> {
  /** Name of this instance. */
  readonly instance: string
  readonly lease: HomeLease
  readonly snapshots: SnapshotJobs
  readonly leaving: LeavingDocuments
}

/** Begins and opens the logs of documents, and brings the files of opened ones to newer formats. */
export class DocumentHeads {
  /** The documents without logs. */
  readonly adoption: Adoption

  constructor(
    private readonly parts: HeadParts,
    private readonly host: ReplicatorHost,
  ) {
    this.adoption = new Adoption(parts, host)
  }

  /** See Replicator.create. */
  async create({ docId: doc, path, isEmpty, first }: NewDocumentFile): Promise<void> {
    const { database, instance } = this.parts
    const tables = await database.tables()
    const format = readFileFormat(path)
    if (isEmpty && first) {
      const { entry } = first
      const body = encodeRecord({ lsn: 1, time: entry.time, format, entry })
      return createHead(tables, { doc, instance, records: [{ lsn: 1, body }], format })
    }
    const snapshot = await this.parts.snapshots.storeFirst(doc, path)
    await createHead(tables, { doc, instance, records: [], format, snapshot })
  }

  /**
   * Raises the term of a document. Throws as `openHead`, and `unavailable` when the log database was restored to a moment before
   * this instance has written the document; directory is told of a format that this instance cannot use, and of the instance on
   * whose disk alone the document is.
   */
  async open(docId: string, assigned: Omit<HomeAssignment, 'home'>): Promise<OpenedHead> {
    const { instance, lease, database } = this.parts
    const { assignment, writeFormat } = assigned
    const tables = await database.tables()
    // A format that is too old is left at once, if that is allowed.
    const min = writeFormat >= formats.min ? FIRST_FORMAT : formats.min
    const opener = { instance, assigned: assignment, formats: { min, max: formats.max } }
    try {
      return await openHead(tables, docId, opener)
    } catch (error) {
      const { term } = toAppError(error)?.metadata ?? {}
      if (term !== undefined) this.adoption.requireNoLaterFile(docId, Number(term))
      const found = findReason(error)
      // The call is refused, and repeated where the document is then.
      if (found) await lease.assign(docId, found)
      const isUnknown = toAppError(error)?.code === 'not_found'
      if (!isUnknown || !this.adoption.hasFile(docId, assigned)) throw error
      await createLocalHead(tables, docId, opener)
      return openHead(tables, docId, opener)
    }
  }

  /**
   * Brings the file of an opened document, which has its latest record, to the newest format that all instances can read.
   * Returns what the log has then.
   * @param writeFormat newest format that the document may get
   */
  async migrate(docId: string, head: OpenedHead, writeFormat: number): Promise<OpenedHead> {
    const present = Math.max(head.format, FIRST_FORMAT)
    const { database, log, lease } = this.parts
    // An older instance may have come since directory was asked: it takes long to bring up a large document.
    const format = Math.min(writableFormat(writeFormat), lease.writeFormat)
    if (format <= present) return { ...head, format: present }
    const path = this.host.files.pathOf(docId)
    const document = { docId, path, term: head.term, format }
    const lsn = await migrateByRecord(await database.tables(), document)
    if (lsn === undefined) throw documentMoved()
    log.info({ docId, format }, 'a document was migrated')
    return { ...head, lsn, format }
  }
}

/** Why another instance has to have a document that was not opened; undefined for any other error. */
function findReason(error: unknown): FoundUnusable | undefined {
  const { reason, metadata } = toAppError(error) ?? {}
  if (reason === 'DOCUMENT_FORMAT_UNREADABLE') return { unreadableFormat: Number(metadata?.format) }
  const localHome = metadata?.localHome
  return localHome === undefined ? undefined : { localHome }
}
