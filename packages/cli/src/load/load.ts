import { basename, extname } from 'node:path'
import { CliError } from '../cli-error'
import { readCsv } from '../csv/csv-file'
import type { RestClient } from '../rest-client'
import { BatchSize } from './batch-size'
import { scanCsv, type CsvScan } from './csv-scan'
import type { LoadState, LoadStateFile } from './load-state'
import { createRecordWriter, openDocument, openTable, type TargetColumn } from './load-target'
import { readLastId, RowSender, type Batch } from './row-sender'

/** The file and the target of a load. */
export interface LoadRequest {
  readonly file: string
  readonly doc?: string
  readonly workspace?: string
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
  readonly rest: RestClient
  readonly state: LoadStateFile
  readonly sleep: (ms: number) => Promise<void>
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
 * Loads a CSV file into a table, every row exactly once. Throws CliError or RestError when nothing can be
 * loaded, and LoadInterrupted when the load can be continued with `resume`.
 */
export async function loadCsv(request: LoadRequest, context: LoadContext): Promise<LoadResult> {
  const scan = await scanCsv(request.file, request)
  const state = request.resume
    ? await getState(request, scan, context.state)
    : await startLoad(request, scan, context)
  const { docId, tableId, columns } = state
  const size = new BatchSize(request.batch)
  const { rest, sleep } = context
  const sender = new RowSender({
    rest,
    target: state,
    lastIdBefore: state.lastIdBefore,
    size,
    sleep,
  })
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
    throw new LoadInterrupted((error as Error).message, sender.stored, scan.rows)
  }
  await context.state.remove()
  return { docId, tableId, rows: scan.rows }
}

async function startLoad(
  request: LoadRequest,
  scan: CsvScan,
  { rest, state }: LoadContext,
): Promise<LoadState> {
  const { file, doc, workspace } = request
  const fileName = basename(file, extname(file))
  const docId = await openDocument(rest, { doc, workspace, name: request.name ?? fileName })
  const { table = fileName } = request
  const append = doc !== undefined && request.table !== undefined
  const target = await openTable(rest, docId, { table, append, ...scan }).catch((error: Error) => {
    if (doc === undefined) error.message += `; the new document ${docId} is empty`
    throw error
  })
  const lastIdBefore = append ? await readLastId(rest, target) : 0
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
  const toRecord = createRecordWriter(columns)
  let left = options.skip + 1 // including the header
  let batch: string[] = []
  let chars = 0
  for await (const { cells } of readCsv(file, { delimiter })) {
    if (left-- > 0) continue
    const record = toRecord(cells)
    batch.push(record)
    chars += record.length
    if (!size.isFull(batch.length, chars)) continue
    yield batch
    batch = []
    chars = 0
  }
  if (batch.length > 0) yield batch
}
