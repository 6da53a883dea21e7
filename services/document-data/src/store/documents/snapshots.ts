import { statSync } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '@sheaf/kit/errors'
import { FairShare, toBusyError } from '@sheaf/kit/fair-share'
import { quoteId, quoteText } from '../../quoting/quote'
import { dropAllIndexes } from '../indexes/auto-indexes'
import { requireRow, openReader, openWriter, type Connection } from '../sqlite/connections'
import type { DocumentFiles } from '../sqlite/document-files'
import type { FirstEntry } from '../log/first-entries'
import type { Author } from '../log/log'
import { migrate } from '../sqlite/migrations/index'
import { beginLog } from '../log/publish-state'
import {
  pendingNames,
  storeShownSql,
  toUnfinished,
  UNFINISHED_COLUMNS,
  type UnfinishedRow,
} from '../schema/unfinished-columns'
import { callEnded } from '../reads/record-chunks'
// eslint-disable-next-line import-x/max-dependencies -- what a copy is stripped of belongs to many parts of a document
import { WorkerPool } from '../workers/worker-pool'

/** The contents of a snapshot. */
export interface SnapshotForm {
  /** False to leave out the log, and with it the former values of cells. */
  readonly history: boolean
  /** False to leave out rows, attachments and log, keeping only the structure. */
  readonly data: boolean
  /** True for a backup: the complete file, including internal data of Sheaf. */
  readonly whole?: boolean
}

/** Who reads a snapshot. */
export interface SnapshotReader {
  readonly userId: number
  readonly signal?: AbortSignal
}

/** A copy of a document, ready to be sent. */
export interface Snapshot {
  /** Log position of the copy. */
  readonly seq: number
  /** Epoch milliseconds of the log entry at that position. */
  readonly changedAt: number
  /** See `pendingNames`. */
  readonly pendingColumns: string | undefined
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
      readonly program?: string
      readonly onCrash: (error: unknown) => void
      /** Translates an error of the file of a document for callers. */
      readonly translate: (error: unknown, docId: string) => unknown
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

  /** Creates the copy in a folder, in steps; the signal is checked between them. */
  private async makeCopy(path: string, form: SnapshotForm, folder: string, signal?: AbortSignal) {
    const whole = join(folder, 'whole.sqlite')
    const copy = join(folder, 'stripped.sqlite')
    requireCaller(signal)
    await this.workers.run(path, [`VACUUM INTO ${quoteText(whole)}`])
    requireCaller(signal)
    if (form.whole) return { moment: readMoment(whole), copy: whole }
    const { moment, statements } = inspect(whole, form, copy)
    await this.workers.run(whole, statements)
    requireCaller(signal)
    await rm(whole)
    return { moment, copy }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.workers[Symbol.asyncDispose]()
  }
}

function requireCaller(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw callEnded()
}

const momentOf = (connection: Connection) => ({
  ...requireRow(
    connection
      .prepare<Pick<Snapshot, 'seq' | 'changedAt'>>(
        'SELECT seq, time AS changedAt FROM _sheaf_log ORDER BY seq DESC LIMIT 1',
      )
      .get(),
  ),
  pendingColumns: pendingNames(readUnfinished(connection)),
})

const readUnfinished = (connection: Connection) =>
  connection.prepare<UnfinishedRow>(UNFINISHED_COLUMNS).all().map(toUnfinished)

function readMoment(path: string) {
  const connection = openReader(path)
  try {
    return momentOf(connection)
  } finally {
    connection.close()
  }
}

/**
 * The log position of a copy, and the statements that remove unwanted data from it and compact the rest into
 * another file.
 */
function inspect(path: string, { history, data }: SnapshotForm, to: string) {
  const connection = openReader(path)
  try {
    const moment = momentOf(connection)
    const tables = ['_sheaf_replies']
    if (!history || !data) tables.push('_sheaf_log')
    if (!data) tables.push(...dataTables, ...listUserTables(connection))
    const statements = [
      // The file is private and is discarded on any error.
      'PRAGMA journal_mode = OFF',
      'PRAGMA synchronous = OFF',
      ...dropAllIndexes(connection),
      ...tables.map((table) => `DELETE FROM ${quoteId(table)}`),
      // Other programs read the file without knowing which cells are computed.
      ...readUnfinished(connection).map(storeShownSql),
      // Contents of running uploads, and of files that are being removed.
      'DELETE FROM _sheaf_file_chunks WHERE file_id IN (SELECT id FROM _sheaf_files WHERE pending IS NOT NULL)',
      'DELETE FROM _sheaf_files WHERE pending IS NOT NULL',
      `VACUUM INTO ${quoteText(to)}`,
    ]
    return { moment, statements }
  } finally {
    connection.close()
  }
}

/** Tables that hold data besides the user tables. */
const dataTables = [
  '_sheaf_tables',
  // Keys that formulas look up are values of cells.
  '_sheaf_lookup_uses',
  '_sheaf_files',
  '_sheaf_file_chunks',
  '_sheaf_attachments',
  '_grist_Attachments',
]

const listUserTables = (connection: Connection) =>
  connection.pluck<string>('SELECT tableId FROM _grist_Tables').all()

/** Writes the bytes of a snapshot to a new file; they are on disk when this returns. */
export async function writeSnapshot(
  path: string,
  chunks: AsyncIterable<Uint8Array>,
): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    for await (const chunk of chunks) await file.writeFile(chunk)
    await file.sync()
  } finally {
    await file.close()
  }
}

/**
 * Writes the bytes of a snapshot as the file of a new document, with a new epoch and one log entry that
 * stands for all of its content; it is on disk when this returns. Throws `invalid` when the bytes are not a
 * document.
 */
export async function adoptSnapshot(
  path: string,
  chunks: AsyncIterable<Uint8Array>,
  author: Author,
): Promise<FirstEntry> {
  await writeSnapshot(path, chunks)
  try {
    const connection = openWriter(path)
    try {
      requireWhole(connection, path)
      return adopt(connection, author)
    } finally {
      connection.close()
    }
  } catch (error) {
    const code = (error as { code?: unknown }).code
    throw /^SQLITE_(NOTADB|CORRUPT)/.test(String(code)) ? badSnapshot() : error
  }
}

const badSnapshot = () => new AppError('invalid', 'BAD_SNAPSHOT', 'the snapshot is not a document')

/**
 * Throws `invalid` for a truncated file, which would otherwise be noticed only when the missing part is read.
 */
export function requireWhole({ db }: Connection, path: string): void {
  const get = (name: string) => Number(db.pragma(name, { simple: true }))
  const isWhole = get('page_count') * get('page_size') === statSync(path).size
  if (!isWhole || get('user_version') === 0) throw badSnapshot()
}

function adopt(connection: Connection, author: Author): FirstEntry {
  connection.db.pragma('journal_mode = WAL')
  migrate(connection.db)
  return connection.db.transaction(() => {
    for (const table of ['_sheaf_log', '_sheaf_replies', '_sheaf_state'])
      connection.prepare(`DELETE FROM ${table}`).run()
    return beginLog(connection, author, [])
  })()
}
