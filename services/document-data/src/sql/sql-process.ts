import type { RowWriter } from '../formats/row-writer'
import { openParentChannel } from '../processes/parent-channel'
import { createJsonResult } from './json-result'
import { batchRows, ResultTooLarge } from './result-batches'
import { SqlFile } from './sql-file'
import type { FromSqlProcess, ResultLimits, SqlRequest } from './sql-messages'
import { StatementError } from './statement'

/*
 * Entry point: sql-process.js <bytes of memory>. Runs statements written by callers, one at a time, as
 * requested by its parent in messages. It is a separate process because a running SQLite statement cannot be
 * interrupted otherwise. Its environment is empty, and it opens only the document of the request.
 */

/** Largest chunk of a result in one message. */
const CHUNK_BYTES = 256 * 1024
/** How long an open file is kept for the next statement. */
const KEEP_MS = 1000
/** A process that exceeds this fraction of its memory limit is not reused. */
const SPENT_SHARE = 0.5

const memoryBytes = Number(process.argv[2])

type Failure = Omit<Extract<FromSqlProcess, { kind: 'failed' }>, 'spent' | 'processorMs'>

let kept: SqlFile | undefined
let closeTimer: NodeJS.Timeout | undefined

function closeKept(): void {
  clearTimeout(closeTimer)
  kept?.close()
  kept = undefined
}

/** Opens the document's file, or returns the open one when it is the same. */
function openFile(path: string): SqlFile {
  clearTimeout(closeTimer)
  if (kept?.path === path && kept.isCurrent) return kept
  closeKept()
  return (kept = SqlFile.open(path))
}

async function handle(request: SqlRequest): Promise<void> {
  await parent.send(await run(request))
  if (kept) closeTimer = setTimeout(closeKept, KEEP_MS)
}

/** Runs a statement and sends its result. Returns the last message, which states the outcome. */
async function run(request: SqlRequest): Promise<FromSqlProcess> {
  try {
    const file = openFile(request.path)
    try {
      const moment = file.begin()
      const bytes = await sendRows(request, file)
      return { kind: 'done', moment, spent: isSpent(), processorMs: processorMs(), bytes }
    } finally {
      file.end()
    }
  } catch (error) {
    const failure = toFailure(error, request)
    // After an error that is not the statement's fault alone, the connection is in doubt.
    if (failure.cause === 'error' && failure.code !== 'SQLITE_ERROR') closeKept()
    const spent = isSpent() || failure.code === 'SQLITE_NOMEM'
    return { ...failure, spent, processorMs: processorMs() }
  }
}

/** Sends all chunks of a result except the last, which it returns. */
async function sendRows(request: SqlRequest, file: SqlFile): Promise<Buffer> {
  const { sql, args, format, maxBytes } = request
  const { columns, run } = file.select(sql, args)
  const writer = await createWriter(request, columns)
  const chunk = new Chunk()
  let total = 0
  const send = async (parts: Iterable<Buffer>) => {
    for (const bytes of parts) {
      total += bytes.length
      if (total > maxBytes) throw new ResultTooLarge(request)
      // A large value is one large piece; sending a message copies it.
      for (let start = 0; start < bytes.length; start += CHUNK_BYTES) {
        const piece = bytes.subarray(start, start + CHUNK_BYTES)
        if (!chunk.fits(piece)) await parent.send({ kind: 'chunk', bytes: chunk.take() })
        chunk.add(piece)
      }
    }
  }
  // The REST document uses JavaScript numbers; the other formats keep all digits.
  const rows = run(format !== undefined)
  for (const batch of batchRows(rows, request)) await send(writer.write(batch))
  await send(writer.finish())
  return chunk.take()
}

/** Collects pieces of a result into one message. */
class Chunk {
  private parts: Buffer[] = []
  private bytes = 0

  fits(part: Buffer): boolean {
    return this.bytes + part.length <= CHUNK_BYTES
  }

  add(part: Buffer): void {
    this.parts.push(part)
    this.bytes += part.length
  }

  /** Returns the chunk and starts the next one. */
  take(): Buffer {
    const [first = Buffer.alloc(0), ...more] = this.parts
    const chunk = more.length === 0 ? first : Buffer.concat(this.parts)
    this.parts = []
    this.bytes = 0
    return chunk
  }
}

async function createWriter(
  { sql, format }: SqlRequest,
  columns: readonly string[],
): Promise<RowWriter> {
  if (!format) return createJsonResult(sql, columns)
  // Loaded on first use, since it accounts for most of what this program would load.
  const { createRowWriter } = await import('../formats/create-row-writer.js')
  return createRowWriter(
    format,
    columns.map((name) => ({ name })),
  )
}

function processorMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

function isSpent(): boolean {
  return process.memoryUsage.rss() > memoryBytes * SPENT_SHARE
}

function toFailure(error: unknown, limits: ResultLimits): Failure {
  const { message = String(error), code } = error as { message?: string; code?: unknown }
  const failure = { kind: 'failed', message, code: typeof code === 'string' ? code : '' } as const
  if (error instanceof ResultTooLarge) return { ...failure, cause: 'limit' }
  if (isTooLong(failure, error)) return toFailure(new ResultTooLarge(limits), limits)
  return { ...failure, cause: error instanceof StatementError ? 'statement' : 'error' }
}

/** True when a string, or its bytes, would exceed JavaScript's maximum string length. */
function isTooLong({ code, message }: Omit<Failure, 'cause'>, error: unknown): boolean {
  return (
    code === 'ERR_STRING_TOO_LONG' ||
    (error instanceof RangeError && /^(Invalid|Array buffer)/.test(message))
  )
}

const parent = openParentChannel<SqlRequest, FromSqlProcess>((request) => {
  handle(request).catch(() => process.exit(1))
})
void parent.send({ kind: 'ready', processorMs: processorMs() })
