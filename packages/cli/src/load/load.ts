import { basename, extname } from 'node:path'
import { SheafError, type Cell, type Sheaf } from '@sheaf/client'
import { CliError } from '../cli-error'
import { readCsv } from '../csv/csv-file'
import { describeFailure } from '../sheaf'
import { BatchSize } from './batch-size'
import { scanCsv, type CsvScan } from './csv-scan'
import type { LoadState, LoadStateFile } from './load-state'
import {
  countOwnChars,
  createRecordMaker,
  openDocument,
  openTable,
  type TargetColumn,
} from './load-target'
import { readLastId, RowSender, type Batch } from './row-sender'

/** The file and the target of a load. */
export interface LoadRequest {
  readonly file: string
  readonly doc?: string
  readonly workspace?: number
  /** Name of a new document; derived from the file by default. */
  readonly name?: string
  /** An existing table to append to, or the name of a new one; derived from the file by default. */
  readonly table?: string
  readonly delimiter?: string
  /** Rows per batch; adaptive by default. */
  readonly batch?: number
  /** True to make all columns Text. */
  readonly text?: boolean
  /** True to resume an interrupted load. */
  readonly resume?: boolean
}

/** Dependencies of a load. */
export interface LoadContext {
  readonly sheaf: Sheaf
  readonly state: LoadStateFile
  /** Aborted on an interrupt; the current batch is completed first. */
  readonly signal?: AbortSignal
  /** Called when the file has been scanned and the table exists. */
  readonly onStart?: (total: number, stored: number) => void
  readonly onStored?: (rows: number) => void
}

/** The result of a load. */
export interface LoadResult {
  readonly docId: string
  readonly tableId: string
  /** Rows of the file, all of which are stored. */
  readonly rows: number
}

/** Thrown when a load stopped half-way and can be resumed. */
export class LoadInterrupted extends CliError {
  constructor(
    message: string,
    readonly stored: number,
    readonly total: number,
  ) {
    super(message)
    this.name = 'LoadInterrupted'
  }
}

/**
 * Loads a CSV file into a table, every row exactly once. Throws CliError or SheafError when nothing can be
 * loaded, and LoadInterrupted when the load can be continued with `resume`.
 */
export async function loadCsv(request: LoadRequest, context: LoadContext): Promise<LoadResult> {
  const scan = await scanCsv(request.file, request)
  const state = request.resume
    ? await getState(request, scan, context.state)
    : await startLoad(request, scan, context)
  const { docId, tableId, columns } = state
  const size = new BatchSize(request.batch)
  const { sheaf } = context
  const { lastIdBefore } = state
  const sender = new RowSender({ sheaf, target: state, lastIdBefore, size })
  try {
    const stored = request.resume ? await sender.resume() : 0
    if (stored < 0 || stored > scan.rows) {
      throw new CliError(
        `cannot resume: table ${tableId} has changed since the load was interrupted`,
      )
    }
    context.onStart?.(scan.rows, stored)
    await sendRows(readBatches(request, { columns, skip: stored, size }), sender, context)
  } catch (error) {
    const message = error instanceof SheafError ? describeFailure(error) : (error as Error).message
    throw new LoadInterrupted(message, sender.stored, scan.rows)
  }
  await context.state.remove()
  return { docId, tableId, rows: scan.rows }
}

async function startLoad(
  request: LoadRequest,
  scan: CsvScan,
  { sheaf, state }: LoadContext,
): Promise<LoadState> {
  const { file, doc, workspace } = request
  const fileName = basename(file, extname(file))
  const docId = await openDocument(sheaf, { doc, workspace, name: request.name ?? fileName })
  const { table = fileName } = request
  const append = doc !== undefined && request.table !== undefined
  const target = await openTable(sheaf, docId, { table, append, ...scan }).catch((error: Error) => {
    if (doc === undefined) error.message += `; the new document ${docId} is empty`
    throw error
  })
  const lastIdBefore = append ? await readLastId(sheaf, target) : 0
  const started = { ...target, lastIdBefore, sha256: scan.sha256 }
  await state.save(started)
  return started
}

async function getState(
  { file, doc, table }: LoadRequest,
  { sha256 }: CsvScan,
  stateFile: LoadStateFile,
): Promise<LoadState> {
  const state = await stateFile.find()
  const name = basename(file)
  if (!state) throw new CliError(`no interrupted load of ${name}: start it without --resume`)
  if (state.sha256 !== sha256) {
    throw new CliError(`cannot resume: ${name} has changed since its load was interrupted`)
  }
  if ((doc ?? state.docId) !== state.docId || (table ?? state.tableId) !== state.tableId) {
    const { docId, tableId } = state
    throw new CliError(`the interrupted load of ${name} used --doc ${docId} --table ${tableId}`)
  }
  return state
}

/** Sends one batch while the next one is read. */
async function sendRows(
  batches: AsyncGenerator<Batch>,
  sender: RowSender,
  { signal, onStored }: LoadContext,
): Promise<void> {
  const readNext = () => {
    const next = batches.next()
    next.catch(() => {}) // reported when it is awaited
    return next
  }
  let next = readNext()
  for (;;) {
    const result: IteratorResult<Batch, unknown> = await next
    if (result.done) return
    if (signal?.aborted) throw new CliError('stopped on request')
    next = readNext()
    await sender.send(result.value)
    onStored?.(sender.stored)
  }
}

async function* readBatches(
  { file, delimiter }: LoadRequest,
  options: { columns: readonly TargetColumn[]; skip: number; size: BatchSize },
): AsyncGenerator<Batch> {
  const { columns, size } = options
  const toRecord = createRecordMaker(columns)
  const ownChars = countOwnChars(columns)
  let left = options.skip + 1 // including the header
  let records: Record<string, Cell>[] = []
  let chars = 0
  for await (const { cells } of readCsv(file, { delimiter })) {
    if (left-- > 0) continue
    records.push(toRecord(cells))
    chars += ownChars
    for (const cell of cells) chars += cell.length
    if (!size.isFull(records.length, chars)) continue
    yield { records, chars }
    records = []
    chars = 0
  }
  if (records.length > 0) yield { records, chars }
}
