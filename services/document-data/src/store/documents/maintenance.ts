import { statSync } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { AutoIndexes, IndexStep } from '../indexes/auto-indexes'
import { readSchemaVersion, type KeepStep } from '../indexes/kept-orders'
import type { Connection } from '../sqlite/connections'
import {
  hasOrphanedContents,
  removeOrphanedContents,
  type ActiveUploads,
} from '../attachments/file-contents'
import type { GroupCommit } from '../sqlite/group-commit'
import type { ReaderPool } from '../sqlite/reader-pool'
import { hasOldReplies, removeOldReplies } from '../log/replies'
import type { WorkerPool } from '../workers/worker-pool'
import type { GroupTask } from './derived-group'

/** Dependencies of DocumentMaintenance. */
export interface MaintenanceParts {
  readonly path: string
  readonly writer: Connection
  readonly group: GroupCommit
  readonly pool: ReaderPool
  readonly indexes: AutoIndexes
  readonly workers: WorkerPool
  readonly uploads: ActiveUploads
  /** Size in bytes of the write-ahead log above which new long reads wait until it is truncated. */
  readonly maxWalBytes: number
  readonly formulas: FormulaWork
  /** Called when background work fails. */
  readonly failed: (error: unknown) => void
}

/** Formulas that are computed beside the writes. */
export interface FormulaWork {
  /** True when cells of formula columns are to be computed. */
  isPending(): boolean
  /** True when columns that depend on the time are to be computed again. */
  isAged(): boolean
  /** Changes whenever some of them have been computed. */
  progress(): unknown
  /** Computes some of them; resolves when that is on disk. */
  run(task: GroupTask): Promise<void>
}

/**
 * Background work on an open document: indexes, expired replies, orphaned contents, a bounded write-ahead
 * log.
 */
export class DocumentMaintenance {
  private readonly chores = new Set<Promise<void>>()
  private building = false
  private trimming = false
  private removing = false
  private deriving = false
  private closed = false

  constructor(private readonly of: MaintenanceParts) {}

  /** True while any of it runs. */
  get busy(): boolean {
    return this.chores.size > 0
  }

  /** Starts no further work; resolves when none of it runs. */
  async finish(): Promise<void> {
    this.closed = true
    while (this.chores.size > 0) await Promise.all(this.chores)
  }

  /** Starts no further work. */
  close(): void {
    this.closed = true
  }

  /** Schedules building or dropping indexes. Writes of the document wait while one is built. */
  improve(step: IndexStep): void {
    if (this.closed || this.building) return
    if (step.kind === 'write') void this.begin(() => this.write(step.statements))
    else if (!this.of.workers.available) return
    else if (step.kind === 'keep') void this.begin(() => this.keepOrder(step))
    else void this.begin(() => this.build(step.statements))
  }

  /** Schedules dropping the indexes that are no longer useful. */
  dropUnusedIndexes(): void {
    const step = this.of.indexes.tidyStep()
    if (step) this.improve(step)
  }

  /** Schedules the removal of expired replies, in small steps between which writes proceed. */
  trimReplies(): void {
    if (this.closed || this.trimming || this.of.group.isOpen) return
    try {
      if (hasOldReplies(this.of.writer)) void this.begin(() => this.trim())
    } catch (error) {
      this.of.failed(error)
    }
  }

  /**
   * Schedules the removal of contents without attachment: of interrupted uploads and of removed attachments.
   */
  removeOrphanedContents(): void {
    if (this.closed || this.removing || this.of.group.isOpen) return
    const { writer, uploads, failed } = this.of
    try {
      if (hasOrphanedContents(writer, uploads)) void this.begin(() => this.removeAll())
    } catch (error) {
      failed(error)
    }
  }

  /** Schedules the computation of pending cells, in small steps between which writes proceed. */
  derivePending(): void {
    if (this.closed || this.deriving || !this.of.formulas.isPending()) return
    void this.begin(() => this.deriveAll())
  }

  /** Schedules computing the columns that depend on the time, when that is due. */
  deriveAged(): void {
    const { formulas } = this.of
    if (this.closed || !formulas.isAged()) return
    void this.begin(() => formulas.run('volatile'))
  }

  /** Holds back new long reads while the write-ahead log is too large: it cannot be reset while one runs. */
  watchLog(): void {
    const { pool, path, maxWalBytes } = this.of
    if (pool.inUse === 0 || pool.draining) return
    const size = statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0
    if (size > maxWalBytes) pool.drain(() => this.begin(() => this.shrinkLog()))
  }

  private async shrinkLog(): Promise<void> {
    const { workers, path, writer, group } = this.of
    // A thread does most of the work, so the load on the event loop is small.
    if (workers.available) await workers.run(path, ['PRAGMA wal_checkpoint(PASSIVE)'])
    await group.runBetween(() => {
      if (!this.building) writer.db.pragma('wal_checkpoint(TRUNCATE)')
    })
  }

  private async trim(): Promise<void> {
    const { group, writer } = this.of
    this.trimming = true
    try {
      while (!this.closed && (await group.add(() => removeOldReplies(writer))));
    } finally {
      this.trimming = false
    }
  }

  private async removeAll(): Promise<void> {
    const { group, writer, uploads } = this.of
    this.removing = true
    try {
      while (!this.closed && (await group.add(() => removeOrphanedContents(writer, uploads))));
    } finally {
      this.removing = false
    }
  }

  private async deriveAll(): Promise<void> {
    const { formulas } = this.of
    this.deriving = true
    try {
      while (!this.closed && formulas.isPending()) {
        const before = formulas.progress()
        await formulas.run('pending')
        // Without an evaluator nothing was computed: the next write or sweep tries again.
        if (formulas.progress() === before) return
        // Writes that arrived meanwhile come first.
        await nextTurn()
      }
    } finally {
      this.deriving = false
    }
  }

  private async write(statements: readonly string[]): Promise<void> {
    const { group, writer, indexes } = this.of
    await group.add(() => {
      for (const sql of statements) writer.db.exec(sql)
    })
    await group.runBetween(() => indexes.reload(writer))
  }

  /**
   * Another connection writes the index; the writes of this document wait so that they do not encounter its
   * lock.
   */
  private async build(statements: readonly string[]): Promise<void> {
    const { group, workers, path, indexes, writer } = this.of
    this.building = true
    try {
      await group.pause()
      if (this.closed) return
      await workers.run(path, statements)
      if (!this.closed) indexes.reload(writer)
    } finally {
      this.building = false
      group.resume()
    }
  }

  /** Keeps an order: filled piece by piece by another connection, between writes, which maintain it from the start. */
  private async keepOrder({ name, schemaVersion, create, fill, finish }: KeepStep): Promise<void> {
    const { group, workers, path, indexes, writer } = this.of
    this.building = true
    try {
      const isCreated = await group.add(() => {
        if (readSchemaVersion(writer) !== schemaVersion) return false
        indexes.beginFilling(name)
        for (const sql of create) writer.db.exec(sql)
        return true
      })
      if (!isCreated) return
      for (const sql of fill) {
        await group.pause()
        try {
          if (this.closed || !indexes.isFilling(writer, name)) return
          await workers.run(path, ['BEGIN IMMEDIATE', sql, 'COMMIT'])
        } finally {
          group.resume()
        }
        // Writes that arrived meanwhile come first.
        await nextTurn()
      }
      await group.add(() => {
        if (indexes.isFilling(writer, name)) for (const sql of finish) writer.db.exec(sql)
      })
    } finally {
      this.building = false
      indexes.endFilling()
      if (!this.closed) await group.runBetween(() => indexes.reload(writer))
    }
  }

  private begin(run: () => Promise<void>): Promise<void> {
    const chore: Promise<void> = run()
      .catch((error: unknown) => {
        if (!this.closed) this.of.failed(error)
      })
      .finally(() => this.chores.delete(chore))
    this.chores.add(chore)
    return chore
  }
}
