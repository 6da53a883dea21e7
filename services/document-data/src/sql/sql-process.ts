import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { RowWriter } from '../formats/row-writer'
import { createJsonResult } from './json-result'
import { batchRows, ResultTooLarge } from './result-batches'
import { SqlFile } from './sql-file'
import type { FromSqlProcess, ResultLimits, SqlOrder } from './sql-messages'
import { StatementError } from './statement'

/*
 * A program: sql-process.js <pid of its parent> <bytes of memory>. Runs statements that callers wrote, one at a time, as its
 * parent orders by messages. A process of its own, because nothing else can be stopped while SQLite works; it has no
 * environment, and opens nothing but the document of the order.
 */

/** Of a result in one message at most. */
const CHUNK_BYTES = 256 * 1024
/** An open file is kept for the next statement for so long. */
const KEEP_MS = 1000
/** A process that has grown beyond this part of its memory is not used again. */
const SPENT_SHARE = 0.5

const [parent = '', memory = ''] = process.argv.slice(2)
const limits = { parent: Number(parent), maxBytes: Number(memory) }

type Failure = Omit<Extract<FromSqlProcess, { kind: 'failed' }>, 'spent'>

let kept: SqlFile | undefined
let letGo: NodeJS.Timeout | undefined

/** Sends a message; resolves when the channel has taken it. */
function tell(message: FromSqlProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    process.send?.(message, undefined, undefined, (error) => (error ? reject(error) : resolve()))
  })
}

function closeKept(): void {
  clearTimeout(letGo)
  kept?.close()
  kept = undefined
}

/** The document's file, open; the one of the statement before when it is the same. */
function openFile(path: string): SqlFile {
  clearTimeout(letGo)
  if (kept?.path === path && kept.isCurrent) return kept
  closeKept()
  return (kept = SqlFile.open(path))
}

async function obey(order: SqlOrder): Promise<void> {
  await tell(await run(order))
  if (kept) letGo = setTimeout(closeKept, KEEP_MS)
}

/** Runs a statement; what becomes of it is the last message. */
async function run(order: SqlOrder): Promise<FromSqlProcess> {
  try {
    const file = openFile(order.path)
    try {
      const moment = file.begin()
      await sendRows(order, file)
      return { kind: 'done', moment, spent: isSpent() }
    } finally {
      file.end()
    }
  } catch (error) {
    const failure = toFailure(error, order)
    // After what is not the statement's fault alone, the connection cannot be trusted.
    if (failure.cause === 'error' && failure.code !== 'SQLITE_ERROR') closeKept()
    return { ...failure, spent: isSpent() || failure.code === 'SQLITE_NOMEM' }
  }
}

async function sendRows(order: SqlOrder, file: SqlFile): Promise<void> {
  const { sql, args, format, maxBytes } = order
  const { columns, run } = file.select(sql, args)
  const writer = await createWriter(order, columns)
  let sent = 0
  const send = async (parts: Iterable<Buffer>) => {
    for (const bytes of parts) {
      sent += bytes.length
      if (sent > maxBytes) throw new ResultTooLarge(order)
      // One large value makes much at once; a message is copied on its way.
      for (let start = 0; start < bytes.length; start += CHUNK_BYTES)
        await tell({ kind: 'chunk', bytes: bytes.subarray(start, start + CHUNK_BYTES) })
    }
  }
  // The REST document has JavaScript's numbers, the other forms all digits.
  const rows = run(format !== undefined)
  for (const batch of batchRows(rows, order)) await send(writer.write(batch))
  await send(writer.finish())
}

async function createWriter(
  { sql, format }: SqlOrder,
  columns: readonly string[],
): Promise<RowWriter> {
  if (!format) return createJsonResult(sql, columns)
  // Loaded when it is first asked for: it is most of what there would be to load.
  const { createRowWriter } = await import('../formats/create-row-writer.js')
  return createRowWriter(
    format,
    columns.map((name) => ({ name })),
  )
}

function isSpent(): boolean {
  return process.memoryUsage.rss() > limits.maxBytes * SPENT_SHARE
}

function toFailure(error: unknown, limits: ResultLimits): Failure {
  const { message = String(error), code } = error as { message?: string; code?: unknown }
  const failure = { kind: 'failed', message, code: typeof code === 'string' ? code : '' } as const
  if (error instanceof ResultTooLarge) return { ...failure, cause: 'limit' }
  if (isTooLong(failure, error)) return toFailure(new ResultTooLarge(limits), limits)
  return { ...failure, cause: error instanceof StatementError ? 'statement' : 'error' }
}

/** True when a text or its bytes would be longer than JavaScript's. */
function isTooLong({ code, message }: Omit<Failure, 'cause'>, error: unknown): boolean {
  return (
    code === 'ERR_STRING_TOO_LONG' ||
    (error instanceof RangeError && /^(Invalid|Array buffer)/.test(message))
  )
}

// Ends this process when its parent has gone, or when it grows too large, also while SQLite works.
new Worker(join(__dirname, 'sql-watchdog.js'), { workerData: limits }).unref()

process.on('disconnect', () => process.exit())
process.on('message', (order: SqlOrder) => {
  obey(order).catch(() => process.exit(1))
})
void tell({ kind: 'ready' })
