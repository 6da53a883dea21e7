import { setTimeout as delay } from 'node:timers/promises'
import { AppendError } from '@sheaf/document-log/append-error'
import { discardHead, FIRST_TERM, listUnfinished, type OpenedHead } from '@sheaf/document-log/heads'
import { toAppError } from '@sheaf/kit/errors'
import type {
  AppendedGroup,
  LogTail,
  NewDocumentFile,
  ReceivedContent,
  Replicator,
  ReplicatorHost,
} from '../store/documents/replicator'
import { DeletedDocuments } from './deleted-documents'
import { DocumentCopies, type CopyParts } from './document-copies'
import { DocumentHeads } from './document-heads'
import { leaseEnded, type HomeLease } from './home-lease'
import { KeptContents } from './objects/kept-contents'
import { LeavingDocuments } from './leaving-documents'
import { OwnDocuments } from './local-documents'
import { beginOpening, documentMoved, takeCalls, type OpenedUnder, type Opening } from './opening'
import { encodeRecord } from './record-body'
import { SnapshotJobs, type SnapshotParts } from './snapshot-jobs'

/** Documents that are remembered as opened by this instance; those whose files are open beyond it. */
const MAX_OPENINGS = 50_000
/** Milliseconds that running reads of a document have to end before it is handed over. */
const READ_MS = 2_000
/** Milliseconds for opening a document again while a write waits. */
const REOPEN_MS = 700

/** What brings a copy up to date is not needed for a document on the disk of this instance alone. */
const LOCAL = { term: 0, isSnapshotDamaged: false }

/** Dependencies of ReplicatedDocuments. */
export interface ReplicationParts extends SnapshotParts, Pick<CopyParts, 'peers'> {
  /** Name of this instance. */
  readonly instance: string
  readonly lease: HomeLease
  /** Called with the milliseconds that it took to make a document ready for use. */
  readonly observeOpening?: (ms: number) => void
}

/**
 * The documents of this instance whose logs are in the log database. A document is opened there before it is used: that
 * raises its term, so that this instance alone can append to its log, until another opening.
 */
export class ReplicatedDocuments implements Replicator {
  private readonly open = new Map<string, Opening>()
  private readonly preparing = new Map<string, Promise<void>>()
  private readonly contents: KeptContents
  private readonly copies: DocumentCopies
  private readonly snapshots: SnapshotJobs
  private readonly heads: DocumentHeads
  private readonly deleted: DeletedDocuments
  readonly local: OwnDocuments
  private readonly leaving = new LeavingDocuments((docId) => this.stopUsing(docId))
  readonly firstTerm = FIRST_TERM

  constructor(
    private readonly parts: ReplicationParts,
    private readonly host: ReplicatorHost,
  ) {
    this.contents = new KeptContents(parts.stored)
    this.copies = new DocumentCopies(host.files, { ...parts, contents: this.contents })
    this.snapshots = new SnapshotJobs(parts, host, this.open)
    const { snapshots, leaving } = this
    this.heads = new DocumentHeads({ ...parts, snapshots, leaving }, host)
    const opened = {
      prepare: (docId: string) => this.prepare(docId),
      resume: (docId: string) => this.resume(docId),
      find: (docId: string) => this.open.get(docId),
    }
    const { copies, heads } = this
    this.local = new OwnDocuments(opened, { ...parts, copies, heads, leaving }, host)
    parts.lease.onEnded(() => {
      for (const docId of this.open.keys()) if (host.isOpen(docId)) host.wake(docId)
    })
    const { files, keptDays } = host
    this.deleted = new DeletedDocuments(this.copies, { ...parts, files, keptDays })
  }

  prepare(docId: string, assignment = 0): Promise<void> | undefined {
    if (this.leaving.has(docId)) return Promise.reject(documentMoved())
    const opening = this.open.get(docId)
    if (opening && this.isUsable(opening) && opening.assignment >= assignment) {
      opening.calls++
      return undefined
    }
    if (!this.parts.lease.isHeld()) return Promise.reject(leaseEnded())
    return this.preparing.get(docId) ?? this.begin(docId, () => this.openDocument(docId))
  }

  get writeFormat(): number {
    return this.parts.lease.writeFormat
  }

  requireReady(docId: string): void {
    if (this.leaving.has(docId)) throw documentMoved()
    this.requireCurrent(this.open.get(docId))
  }

  guard(docId: string): () => void {
    const opening = this.open.get(docId)
    this.requireCurrent(opening)
    return () => this.requireCurrent(opening)
  }

  isLocal(docId: string): boolean {
    return this.open.get(docId)?.isLocal ?? false
  }

  async takeOver(instances: readonly string[]): Promise<void> {
    const unfinished = await listUnfinished(await this.parts.database.tables(), instances)
    for (const { docId, pending } of unfinished) {
      try {
        await this.prepare(docId)
        if (pending) this.host.resume(docId)
      } catch (error) {
        // Another instance may have taken it over, or it was deleted.
        this.parts.log.debug({ err: error, docId }, 'a document was not taken over')
      }
    }
  }

  async resume(docId: string): Promise<void> {
    await this.prepare(docId)
    this.host.resume(docId)
  }

  async listUnfinished(docIds: readonly string[]): Promise<string[]> {
    const own = await listUnfinished(await this.parts.database.tables(), [this.parts.instance])
    const unfinished = new Set(own.map(({ docId }) => docId))
    return docIds.filter((docId) => unfinished.has(docId))
  }

  handOver<T>(docIds: readonly string[], assign: () => Promise<T>): Promise<T> {
    return this.leaving.handOver(docIds, assign)
  }

  takeCalls(): ReadonlyMap<string, number> {
    return takeCalls(this.open)
  }

  async isElsewhere(docId: string): Promise<boolean> {
    const { home } = await this.parts.lease.find(docId)
    return home !== this.parts.instance && (await this.listUnfinished([docId])).length === 0
  }

  create(document: NewDocumentFile): Promise<void> {
    return this.heads.create(document)
  }

  async remove(docId: string, keeps: boolean): Promise<boolean> {
    this.host.files.requireId(docId)
    const isInLog = await this.deleted.remove(docId, keeps)
    this.open.delete(docId)
    return isInLog
  }

  copyDeleted(docId: string, path: string): Promise<boolean> {
    return this.deleted.copy(docId, path)
  }

  async discard(docId: string): Promise<void> {
    this.host.files.requireId(docId)
    await discardHead(await this.parts.database.tables(), docId)
    this.open.delete(docId)
    await this.parts.stored.remove(docId)
  }

  async keepContent(docId: string, content: ReceivedContent): Promise<void> {
    // A record that refers to it later than the adoption of the document has it stored then.
    if (this.isLocal(docId)) return
    return this.contents.keep(docId, content)
  }

  append(group: AppendedGroup): Promise<void> | undefined {
    const opening = this.open.get(group.docId)
    if (opening?.isLocal) {
      this.requireCurrent(opening)
      return undefined
    }
    return opening ? this.appendTo(opening, group) : Promise.reject(documentMoved())
  }

  async recover(docId: string): Promise<void> {
    this.open.delete(docId)
    // An opening that began after the append has made the document with it already.
    await (this.preparing.get(docId) ??
      this.begin(docId, async () => {
        await this.host.files.drop(docId)
        await this.openDocument(docId)
      }))
    this.host.logged(docId)
  }

  async listUnpublished(): Promise<string[]> {
    const unfinished = await listUnfinished(await this.parts.database.tables(), [
      this.parts.instance,
    ])
    return unfinished.filter(({ unpublished }) => unpublished).map(({ docId }) => docId)
  }

  async findSnapshotFault(docId: string): Promise<string | undefined> {
    this.host.files.requireId(docId)
    return this.snapshots.findFault(docId)
  }

  get tail(): LogTail {
    return this.snapshots.tail
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.deleted[Symbol.dispose]()
    await this.snapshots[Symbol.asyncDispose]()
    await Promise.allSettled(this.preparing.values())
    await this.parts.database[Symbol.asyncDispose]()
  }

  /** Makes a document ready. Whoever asks for it meanwhile waits for the same attempt. */
  private begin(docId: string, run: () => Promise<void>): Promise<void> {
    const preparing = run()
      .catch((error: unknown) => {
        throw this.host.translate(error, docId)
      })
      .finally(() => this.preparing.delete(docId))
    this.preparing.set(docId, preparing)
    return preparing
  }

  private async openDocument(docId: string): Promise<void> {
    this.host.files.requireId(docId)
    const { period } = this.parts.lease
    const since = performance.now()
    const assigned = await this.parts.lease.assign(docId)
    if (assigned.home !== this.parts.instance) throw documentMoved()
    let opened = await this.heads.open(docId, assigned)
    if (opened.local && !assigned.pinned) {
      // Directory may assign it to an instance that has nothing of it: the log was lost, or is another one.
      this.host.evict(docId, documentMoved())
      await this.heads.adoption.adoptClosed(docId, opened.term, assigned.writeFormat)
      opened = await this.heads.open(docId, assigned)
    }
    const under = { docId, assignment: assigned.assignment, period }
    const opening = opened.local
      ? this.openLocal(under, opened, assigned.writeFormat)
      : await this.openReplicated(under, opened, assigned.writeFormat)
    // The assignment is that of the period in which directory was asked.
    this.requireCurrent(opening)
    this.open.set(docId, opening)
    this.parts.observeOpening?.(performance.now() - since)
    this.forgetOldest()
    if (opened.unpublished) this.host.logged(docId)
    if (opening.isSnapshotDamaged) {
      this.parts.log.warn({ docId }, 'a snapshot is damaged and is stored again')
      this.snapshots.consider(opening)
    }
  }

  private openLocal(under: OpenedUnder, head: OpenedHead, writeFormat: number): Opening {
    const { docId } = under
    const known = this.open.get(docId)
    // One that is in use goes on as it is, unless another process may have written its file.
    if (known?.isLocal && known.term + 1 === head.term && this.host.isOpen(docId))
      return beginOpening(under, { ...head, format: known.format }, LOCAL)
    this.host.evict(docId, documentMoved())
    const format = this.heads.adoption.useFile(docId, writeFormat)
    return beginOpening(under, { ...head, format }, LOCAL)
  }

  private async openReplicated(
    under: OpenedUnder,
    opened: OpenedHead,
    writeFormat: number,
  ): Promise<Opening> {
    const { docId } = under
    // No connection may use the file while it is brought up to date.
    this.host.evict(docId, documentMoved())
    const tables = await this.parts.database.tables()
    const copy = await this.copies.update(tables, docId, opened)
    const head = await this.heads.migrate(docId, opened, writeFormat)
    const { term } = head.lsn === opened.lsn ? copy : head
    return beginOpening(under, head, { ...copy, term })
  }

  private async stopUsing(docId: string): Promise<void> {
    // An attempt has asked directory already, and would use its answer.
    await this.preparing.get(docId)?.catch(() => {})
    await this.host.close(docId, documentMoved(), READ_MS)
    // A write that could not be committed has the document made again.
    await this.preparing.get(docId)?.catch(() => {})
    const opening = this.open.get(docId)
    if (opening) opening.isOver = true
    this.open.delete(docId)
  }

  /** A document that is forgotten is opened again at its next use. */
  private forgetOldest(): void {
    if (this.open.size <= MAX_OPENINGS) return
    for (const docId of this.open.keys())
      if (!this.host.isOpen(docId)) return void this.open.delete(docId)
  }

  /** A document that is not in use is opened again when it may have a newer format. */
  private isUsable(opening: Opening): boolean {
    const isOutdated = opening.format < this.parts.lease.writeFormat
    return this.isCurrent(opening) && !(isOutdated && !this.host.isOpen(opening.docId))
  }

  /** Nothing of an earlier period of the lease is used: another instance may have changed the document since. */
  private isCurrent({ period, isOver }: Opening): boolean {
    const { lease } = this.parts
    return !isOver && period === lease.period && lease.isHeld()
  }

  private requireCurrent(opening: Opening | undefined): void {
    if (opening && this.isCurrent(opening)) return
    throw this.parts.lease.isHeld() ? documentMoved() : leaseEnded()
  }

  private async appendTo(opening: Opening, group: AppendedGroup): Promise<void> {
    const { docId, connection, isUnpublished, isPending } = group
    if (opening.isDoubtful) await this.openAgain(opening)
    await this.contents.keepLinked(docId, connection, group.records)
    // Until the outcome is known, also when nobody waits for it any more.
    opening.isDoubtful = true
    const { term } = opening
    if (opening.fileTerm !== term)
      connection.prepare('UPDATE _sheaf_state SET term = ? WHERE id = 1').run(term)
    const records = group.records.map((record) => ({ lsn: record.lsn, body: encodeRecord(record) }))
    try {
      await this.parts.database.appender.append({
        doc: docId,
        term,
        records,
        unpublished: isUnpublished,
        pending: isPending,
      })
    } catch (error) {
      this.failed(opening, error)
      throw error
    }
    opening.isDoubtful = false
    opening.fileTerm = term
    opening.lsn = records.at(-1)?.lsn ?? opening.lsn
    opening.tail.records += records.length
    for (const { body } of records) opening.tail.bytes += body.length
    this.snapshots.consider(opening)
  }

  private failed(opening: Opening, error: unknown): void {
    const outcome = error instanceof AppendError ? error.outcome : 'unknown'
    if (outcome === 'refused') opening.isDoubtful = false
    if (outcome === 'fenced') this.leave(opening)
  }

  /**
   * Raises the term after an append whose outcome is unknown, so that it cannot arrive any more. Throws `unavailable` when
   * it has arrived: then the file lacks it.
   */
  private async openAgain(opening: Opening): Promise<void> {
    const { docId } = opening
    const ended = new AbortController()
    const tooLate = delay(REOPEN_MS, undefined, { signal: ended.signal, ref: false }).then(() => {
      throw new AppendError('refused')
    })
    const again = { assignment: opening.assignment, writeFormat: opening.format, pinned: false }
    const raised = this.heads.open(docId, again).catch((error: unknown) => {
      throw toAppError(error)?.code === 'unavailable' ? new AppendError('refused', error) : error
    })
    const head = await Promise.race([raised, tooLate]).finally(() => ended.abort())
    if (head.lsn !== opening.lsn) {
      this.leave(opening)
      throw documentMoved()
    }
    opening.term = head.term
    opening.isDoubtful = false
  }

  /** Stops using a document whose log went on without this instance; its next use opens it again. */
  private leave(opening: Opening): void {
    const { docId } = opening
    // It may have been opened again since the append began that has failed.
    if (this.open.get(docId) !== opening) return
    this.open.delete(docId)
    // After the group that waits for its append has been rolled back.
    setImmediate(() => this.host.evict(docId, documentMoved()))
  }
}
