import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import {
  findSnapshot,
  FIRST_TERM,
  markSnapshot,
  type SnapshotMark,
} from '@sheaf/document-log/heads'
import type { LogDatabase } from '@sheaf/document-log/log-database'
import { toAppError } from '@sheaf/kit/errors'
import type { Logger } from '@sheaf/kit/logger'
import type { LogTail, ReplicatorHost } from '../store/documents/replicator'
import { snapshotName, SNAPSHOTS } from './document-copies'
import { readFilePosition, storeFileTerm } from './file-position'
import type { Opening } from './opening'
import { SNAPSHOT_DAMAGED, type StoredFiles } from './objects/stored-files'

/** Records and bytes after the latest snapshot from which another one is made, so that redo of a log stays short. */
const TAIL = { records: 2000, bytes: 4 * 1024 * 1024 }
/** Milliseconds after which a document with any records behind its latest snapshot has another one, and between looks for such documents. */
const AGE_MS = 600_000
const LOOK_MS = 30_000
/** Milliseconds between two snapshots of a document at least. */
const EVERY_MS = 10_000
/** Milliseconds between two removals of what earlier snapshots needed, and the age from which that is removed. */
const SWEEP_MS = 3600 * 1000
const KEPT_MS = 24 * 3600 * 1000

/** What SnapshotJobs needs. */
export interface SnapshotParts {
  readonly log: Logger
  readonly database: LogDatabase
  readonly stored: StoredFiles
  /** Another age in milliseconds at which a tail is stored, and between looks for such ones, for tests. */
  readonly snapshotTimes?: { readonly ageMs: number; readonly lookMs: number }
}

/** Stores snapshots of documents with long or old tails, one after the other. */
export class SnapshotJobs implements AsyncDisposable {
  private readonly queue = new Set<string>()
  private running: Promise<void> | undefined
  private isClosed = false
  private readonly ageMs: number
  private readonly looking: NodeJS.Timeout

  /** @param open the documents that this instance has opened */
  constructor(
    private readonly parts: SnapshotParts,
    private readonly host: ReplicatorHost,
    private readonly open: ReadonlyMap<string, Opening>,
  ) {
    const { ageMs, lookMs } = parts.snapshotTimes ?? { ageMs: AGE_MS, lookMs: LOOK_MS }
    this.ageMs = ageMs
    this.looking = setInterval(() => {
      for (const opening of open.values()) this.consider(opening)
    }, lookMs).unref()
  }

  /** Schedules a snapshot of a document if its tail is long or old, or the latest one is damaged. */
  consider(opening: Opening): void {
    if (!isDue(opening) || this.isClosed) return
    const { docId, tail, snapshotAt, openedAt, isSnapshotDamaged } = opening
    const now = performance.now()
    const isLong = isSnapshotDamaged || tail.records >= TAIL.records || tail.bytes >= TAIL.bytes
    const isOld = now - Math.max(snapshotAt, openedAt) >= this.ageMs
    if (!isOld && (!isLong || (snapshotAt > 0 && now - snapshotAt < EVERY_MS))) return
    this.queue.add(docId)
    this.running ??= this.run().finally(() => (this.running = undefined))
  }

  /** See Replicator.tail. */
  get tail(): LogTail {
    let records = 0
    let since = Infinity
    for (const { tail, snapshotAt, openedAt } of this.open.values()) {
      if (tail.records === 0) continue
      records = Math.max(records, tail.records)
      since = Math.min(since, Math.max(snapshotAt, openedAt))
    }
    return { records, seconds: Math.max(0, performance.now() - since) / 1000 }
  }

  /** See Replicator.findSnapshotFault. */
  async findFault(docId: string): Promise<string | undefined> {
    const snapshot = await findSnapshot(await this.parts.database.tables(), docId)
    if (!snapshot) return undefined
    try {
      const isThere = await this.parts.stored.verify(docId, snapshotName(snapshot))
      return isThere ? undefined : 'its snapshot is missing'
    } catch (error) {
      if (toAppError(error)?.reason !== SNAPSHOT_DAMAGED) throw error
      return 'its snapshot is damaged'
    }
  }

  /** Stores the file of a document, as it is at one moment. */
  async store(docId: string, path: string, isAnew = false): Promise<SnapshotMark> {
    const scratch = await this.host.files.createScratch()
    try {
      const copy = join(scratch, 'copy.sqlite')
      await this.host.copyFile(path, copy)
      return await this.storeClosed(docId, copy, isAnew)
    } finally {
      await rm(scratch, { recursive: true, force: true })
    }
  }

  /** Stores the file of a new document, which gets the first term. */
  storeFirst(docId: string, path: string): Promise<SnapshotMark> {
    storeFileTerm(path, FIRST_TERM)
    return this.storeClosed(docId, path)
  }

  /** Stores the file of a document that nobody writes. */
  private async storeClosed(docId: string, path: string, isAnew = false): Promise<SnapshotMark> {
    const mark = { name: randomUUID(), ...readFilePosition(path) }
    await this.parts.stored.putFile(docId, snapshotName(mark), path, isAnew)
    return mark
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.isClosed = true
    clearInterval(this.looking)
    await this.running
  }

  private async run(): Promise<void> {
    for (const docId of this.queue) {
      this.queue.delete(docId)
      if (this.isClosed) return
      const opening = this.open.get(docId)
      // The snapshot during which it was scheduled may hold all of it.
      if (opening && isDue(opening)) await this.take(opening)
    }
  }

  /** Removes what only earlier snapshots needed, once it is so old that no opening can still read it. */
  private async sweep(opening: Opening, latest: SnapshotMark): Promise<void> {
    if (opening.sweptAt > 0 && performance.now() - opening.sweptAt < SWEEP_MS) return
    opening.sweptAt = performance.now()
    await this.parts.stored.sweep(opening.docId, {
      folder: SNAPSHOTS,
      except: snapshotName(latest),
      before: Date.now() - KEPT_MS,
    })
  }

  private async take(opening: Opening): Promise<void> {
    const { docId, term } = opening
    opening.snapshotAt = performance.now()
    const { bytes } = opening.tail
    try {
      const snapshot = await this.store(
        docId,
        this.host.files.find(docId),
        opening.isSnapshotDamaged,
      )
      if (!(await markSnapshot(await this.parts.database.tables(), { doc: docId, term }, snapshot)))
        return
      opening.isSnapshotDamaged = false
      // It may also hold records that were appended while it was begun.
      opening.tail.records = opening.lsn - snapshot.lsn
      opening.tail.bytes -= bytes
      await this.sweep(opening, snapshot)
    } catch (error) {
      this.parts.log.warn({ err: error, docId }, 'failed to store a snapshot, retrying later')
    }
  }
}

/** True for a document of which the latest snapshot lacks something. */
function isDue({ tail, isSnapshotDamaged }: Opening): boolean {
  return tail.records > 0 || isSnapshotDamaged
}
