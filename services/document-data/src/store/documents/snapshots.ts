import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { FairShare, toBusyError } from '@sheaf/kit/fair-share'
import { quoteText } from '../../quoting/quote'
import { readMoment, type CopyForm, type CopyMoment } from '../exports/document-copy'
import { openReader } from '../sqlite/connections'
import type { DocumentFiles } from '../sqlite/document-files'
import { callEnded } from '../reads/record-chunks'
import { WorkerPool } from '../workers/worker-pool'

/** The contents of a snapshot. */
export interface SnapshotForm extends CopyForm {
  /** True for a backup: the complete file, including internal data of Sheaf. */
  readonly whole?: boolean
  /** True, of a whole file, to leave all pages where they are; by default they are packed. */
  readonly isUnpacked?: boolean
}

/** Who reads a snapshot. */
export interface SnapshotReader {
  readonly userId: number
  readonly signal?: AbortSignal
}

/** A copy of a document, ready to be sent. */
export interface Snapshot extends CopyMoment {
  /** Bytes of the file. */
  readonly size: number
  /** The bytes, read no faster than they are consumed. */
  readonly bytes: AsyncIterable<Buffer>
}

/** Maximum number of snapshots in progress; each takes as much disk as its document. */
const MAX_HELD = 32
/**
 * Threads for snapshots; separate from those for long reads, which must not wait for the copy of a large
 * file.
 */
const THREADS = 1
const CHUNK_BYTES = 256 * 1024
const RETRY_MS = '1000'

/** Creates consistent copies of documents, concurrently with all other work. */
export class Snapshots implements AsyncDisposable {
  private readonly workers: WorkerPool
  private readonly held = new FairShare(MAX_HELD)

  constructor(
    private readonly files: DocumentFiles,
    private readonly options: {
      /** See DocumentStoreOptions. */
      readonly isPast?: boolean
      readonly program?: string
      readonly onCrash: (error: unknown) => void
      /** Translates an error of the file of a document for callers. */
      readonly translate: (error: unknown, docId: string) => unknown
      /** See DocumentStore.prepare. */
      readonly prepare: (docId: string) => Promise<void> | undefined
    },
  ) {
    const { program, onCrash } = options
    this.workers = new WorkerPool({ size: THREADS, program, onCrash })
  }

  /**
   * Copies the file of a document at one moment and yields what `use` makes of the copy, which exists until
   * the iteration ends. Throws `not_found`; `unavailable` or `too_many` when too many copies are in progress,
   * though never for a backup, which downloads must not prevent; `timeout` once the signal is aborted.
   */
  async *read<T>(
    docId: string,
    form: SnapshotForm,
    use: (snapshot: Snapshot) => AsyncIterable<T>,
    reader: SnapshotReader,
  ): AsyncGenerator<T> {
    try {
      await this.options.prepare(docId)
      yield* this.readFile(this.files.find(docId), form, use, reader)
    } catch (error) {
      throw this.options.translate(error, docId)
    }
  }

  /** Path of the file of a document on this instance. Throws as `read`. */
  pathOf(docId: string): string {
    return this.files.find(docId)
  }

  /**
   * As `read`, the whole file as it is on this instance, which may not be the one that the document is assigned to. Its pages
   * are where they were, so that a snapshot of it has most pieces in common with an earlier one.
   */
  async *readHere<T>(
    docId: string,
    use: (snapshot: Snapshot) => AsyncIterable<T>,
    reader: SnapshotReader,
  ): AsyncGenerator<T> {
    try {
      const form = { history: true, data: true, whole: true, isUnpacked: true }
      yield* this.readFile(this.files.find(docId), form, use, reader)
    } catch (error) {
      throw this.options.translate(error, docId)
    }
  }

  private async *readFile<T>(
    path: string,
    form: SnapshotForm,
    use: (snapshot: Snapshot) => AsyncIterable<T>,
    { userId, signal }: SnapshotReader,
  ): AsyncGenerator<T> {
    const holder = { user: userId, document: path }
    const full = form.whole ? undefined : this.held.check(holder, 1)
    if (full) throw toBusyError(full, { what: 'copies of documents', retryAfterMs: RETRY_MS })
    this.held.take(holder, 1)
    let folder: string | undefined
    try {
      folder = await this.files.createScratch()
      const { moment, copy } = await this.makeCopy(path, form, folder, signal)
      await using file = await open(copy)
      const { size } = await file.stat()
      const bytes = file.createReadStream({ highWaterMark: CHUNK_BYTES, autoClose: false })
      // An error reaches the reader when it iterates; until then it must not be an unhandled one.
      bytes.on('error', () => {})
      try {
        yield* use({ ...moment, size, bytes: bytes as AsyncIterable<Buffer> })
      } finally {
        bytes.destroy()
      }
    } finally {
      this.held.give(holder, 1)
      if (folder) await rm(folder, { recursive: true, force: true })
    }
  }

  /** Copies the file of a document, as it is at one moment, page by page; the copy is not synced. */
  duplicate(path: string, to: string): Promise<void> {
    return this.workers.duplicate(path, to)
  }

  /** Checks that the pages of the file of a document are sound. Throws `unavailable` when they are not. */
  verify(path: string): Promise<void> {
    return this.workers.verify(path)
  }

  /** Takes a copy of a document back to the moment after an entry of its log; see `takeBack`. */
  takeBack(path: string, seq: number): Promise<void> {
    return this.workers.takeBack(path, seq)
  }

  /** Creates the copy in a folder. */
  private async makeCopy(path: string, form: SnapshotForm, folder: string, signal?: AbortSignal) {
    const copy = join(folder, 'copy.sqlite')
    requireCaller(signal)
    const moment = await this.makeFile(path, form, copy)
    requireCaller(signal)
    return { moment, copy }
  }

  private async makeFile(path: string, form: SnapshotForm, copy: string): Promise<CopyMoment> {
    const { isPast: forgetsFormulas } = this.options
    if (!form.whole) return this.workers.copy(path, copy, { ...form, forgetsFormulas })
    if (form.isUnpacked) await this.duplicate(path, copy)
    else await this.workers.run(path, [`VACUUM INTO ${quoteText(copy)}`])
    const connection = openReader(copy)
    try {
      return readMoment(connection)
    } finally {
      connection.close()
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.workers[Symbol.asyncDispose]()
  }
}

function requireCaller(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw callEnded()
}
