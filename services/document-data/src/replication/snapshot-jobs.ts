import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { markSnapshot, type SnapshotMark } from '@sheaf/document-log/heads'
import type { LogDatabase } from '@sheaf/document-log/log-database'
import type { Logger } from '@sheaf/kit/logger'
import type { ReplicatorHost } from '../store/documents/replicator'
import { snapshotName, SNAPSHOTS } from './document-copies'
import { readFilePosition } from './file-position'
import type { StoredFiles } from './stored-files'

/** Records and bytes after the latest snapshot from which another one is made, so that redo of a log stays short. */
const TAIL = { records: 2000, bytes: 4 * 1024 * 1024 }
/** Milliseconds between two snapshots of a document at least. */
const EVERY_MS = 10_000
/** Milliseconds between two removals of what earlier snapshots needed, and the age from which that is removed. */
const SWEEP_MS = 3600 * 1000
const KEPT_MS = 24 * 3600 * 1000

/** A document that this instance has opened. */
export interface Opening {
  readonly docId: string
  /** Number of the assignment to this instance under which it was opened, and the period of its lease. */
  readonly assignment: number
  readonly period: number
  term: number
  /** Position of the latest record. */
  lsn: number
  /** Term that the file holds. */
  fileTerm: number
  /** True when an append may have succeeded without this instance knowing it. */
  isDoubtful: boolean
  /** What the log has after the latest snapshot. */
  readonly tail: { records: number; bytes: number }
  /** `performance.now()` of the latest snapshot; 0 for none. */
  snapshotAt: number
  /** `performance.now()` of the latest removal of what earlier snapshots needed; 0 for none. */
  sweptAt: number
}

/** Stores snapshots of documents with long tails, one after the other. */
export class SnapshotJobs implements AsyncDisposable {
  private readonly queue = new Set<string>()
  private running: Promise<void> | undefined
  private isClosed = false

  constructor(
    private readonly parts: {
      readonly log: Logger
      readonly database: LogDatabase
      readonly stored: StoredFiles
    },
    private readonly host: ReplicatorHost,
    private readonly find: (docId: string) => Opening | undefined,
  ) {}

  /** Schedules a snapshot of a document if its tail is long. */
  consider({ docId, tail, snapshotAt }: Opening): void {
    if (tail.records < TAIL.records && tail.bytes < TAIL.bytes) return
    if (this.isClosed || (snapshotAt > 0 && performance.now() - snapshotAt < EVERY_MS)) return
    this.queue.add(docId)
    this.running ??= this.run().finally(() => (this.running = undefined))
  }

  /** Stores the file of a document, as it is at one moment. */
  async store(docId: string, path: string): Promise<SnapshotMark> {
    const scratch = await this.host.files.createScratch()
    try {
      const copy = join(scratch, 'copy.sqlite')
      await this.host.copyFile(path, copy)
      return await this.storeClosed(docId, copy)
    } finally {
      await rm(scratch, { recursive: true, force: true })
    }
  }

  /** Stores the file of a document that nobody writes. */
  async storeClosed(docId: string, path: string): Promise<SnapshotMark> {
    const mark = { name: randomUUID(), ...readFilePosition(path) }
    await this.parts.stored.putFile(docId, snapshotName(mark), path)
    return mark
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.isClosed = true
    await this.running
  }

  private async run(): Promise<void> {
    for (const docId of this.queue) {
      this.queue.delete(docId)
      if (this.isClosed) return
      const opening = this.find(docId)
      if (opening) await this.take(opening)
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
    const { records, bytes } = opening.tail
    try {
      const snapshot = await this.store(docId, this.host.files.find(docId))
      if (!(await markSnapshot(await this.parts.database.tables(), { doc: docId, term }, snapshot)))
        return
      opening.tail.records -= records
      opening.tail.bytes -= bytes
      await this.sweep(opening, snapshot)
    } catch (error) {
      this.parts.log.warn({ err: error, docId }, 'failed to store a snapshot, retrying later')
    }
  }
}
