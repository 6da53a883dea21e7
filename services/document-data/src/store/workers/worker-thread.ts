import { parentPort, type MessagePort } from 'node:worker_threads'
import { AppError, toAppError } from '@sheaf/kit/errors'
import type { ValuesPlan } from '../../query/column-values'
import type { GroupsPlan } from '../../query/groups'
import { changeParts } from '../feed/changes'
import {
  openBuilder,
  openGroupingReader,
  openLongReader,
  type Connection,
} from '../sqlite/connections'
import { copyDocument } from '../exports/document-copy'
import { exportParts } from '../exports/export-parts'
import { readLatestSeq } from '../log/log'
import { takeBack } from '../past/past-file'
import { takesAll } from '../reads/read-plan'
import { documentParts } from '../reads/record-chunks'
import type {
  DuplicateRequest,
  FromWorker,
  ReadRequest,
  RunRequest,
  ThreadPlan,
  ToWorker,
  SerializedError,
  VerifyRequest,
} from './worker-messages'

/*
 * The program of a worker thread: reads that take long, and index builds. A read makes its next chunk only
 * when asked; several reads are interleaved, so a paused reader does not delay the others.
 */

type Send = (message: FromWorker, transfer?: ArrayBuffer[]) => void

/** Set while a read runs that can be cancelled. */
let stopping: Int32Array | undefined

/** Condition added to a long statement: never false, but throws when the read is cancelled. */
const GUARD = '(("id" & 1023) <> 0 OR sheaf_alive())'

/** Lets SQL check whether its read is cancelled: the only way to interrupt a statement of this driver. */
function registerGuard({ db }: Connection): void {
  db.function('sheaf_alive', { deterministic: false, directOnly: true }, () => {
    if (stopping && Atomics.load(stopping, 0) !== 0) throw new Error('the read was cancelled')
    return 1
  })
}

function serializeError(error: unknown): SerializedError {
  const { name, message, code } = error as { name?: string; message?: string; code?: unknown }
  const known = toAppError(error)
  return {
    name: name ?? 'Error',
    message: message ?? String(error),
    code: typeof code === 'string' ? code : '',
    appError: known && { code: known.code, reason: known.reason, metadata: known.metadata },
  }
}

/** The parts of a read; statements that may take long can be cancelled. */
function partsOf(connection: Connection, plan: ThreadPlan): Iterator<Buffer | null, void> {
  if ('after' in plan) return changeParts(connection, plan)
  if ('export' in plan) return exportParts(connection, groupsRows(plan) ? guarded(plan) : plan)
  const isShort = plan.inRanges && !(plan.extras && !takesAll(plan))
  return documentParts(connection, isShort ? plan : guarded(plan))
}

/** True for reads that group rows by their values. */
const groupsRows = (plan: ThreadPlan): plan is ValuesPlan | GroupsPlan =>
  'export' in plan && (plan.export === 'values' || plan.export === 'groups')

const guarded = <P extends { readonly where: string }>(plan: P): P => ({
  ...plan,
  where: `${GUARD} AND (${plan.where})`,
})

/** One read with its own connection and snapshot. */
class ThreadRead {
  private readonly parts: Iterator<Buffer | null, void>
  private scheduled = false
  private ended = false

  constructor(
    private readonly request: ReadRequest,
    private readonly connection: Connection,
    private ahead: number,
    private readonly send: Send,
  ) {
    registerGuard(connection)
    connection.prepare('BEGIN').run()
    const seq = readLatestSeq(connection)
    this.parts = partsOf(connection, request.plan)
    send({ kind: 'begun', id: request.id, seq })
    this.schedule()
  }

  more(): void {
    this.ahead++
    this.schedule()
  }

  end(): void {
    if (this.ended) return
    this.ended = true
    reads.delete(this.request.id)
    // Parts may have opened another file.
    this.parts.return?.()
    this.connection.close()
  }

  private schedule(): void {
    if (this.scheduled || this.ended || this.ahead <= 0) return
    this.scheduled = true
    // Between two chunks messages are received and other reads proceed.
    setImmediate(() => {
      this.scheduled = false
      if (!this.ended) this.step()
      this.schedule()
    })
  }

  private step(): void {
    const { id, stop } = this.request
    try {
      stopping = stop
      const { done, value } = this.parts.next()
      if (done) {
        this.end()
        this.send({ kind: 'done', id })
      } else if (value) {
        this.ahead--
        const bytes = ownBytes(value)
        this.send({ kind: 'chunk', id, bytes }, [bytes])
      }
    } catch (error) {
      this.end()
      this.send({ kind: 'failed', id, error: serializeError(error) })
    } finally {
      stopping = undefined
    }
  }
}

/** The bytes in a buffer of their own, which is transferred to another thread without a copy. */
function ownBytes({ buffer, byteOffset, byteLength }: Buffer): ArrayBuffer {
  return buffer.byteLength === byteLength
    ? (buffer as ArrayBuffer)
    : (buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer)
}

const reads = new Map<number, ThreadRead>()

function startRead(request: ReadRequest, send: Send): void {
  const { path, plan } = request
  const connection = groupsRows(plan) ? openGroupingReader(path) : openLongReader(path)
  try {
    reads.set(request.id, new ThreadRead(request, connection, request.ahead, send))
  } catch (error) {
    connection.close()
    throw error
  }
}

function run({ path, statements }: RunRequest): void {
  const connection = openBuilder(path)
  try {
    for (const sql of statements) connection.db.exec(sql)
  } finally {
    // Also rolls back an open transaction.
    connection.close()
  }
}

/** After the first pages the rest is copied in one step: writes in between would start it again. */
async function duplicate({ path, to }: DuplicateRequest): Promise<void> {
  const connection = openLongReader(path)
  try {
    await connection.db.backup(to, { progress: () => ALL_PAGES })
  } finally {
    connection.close()
  }
}

const ALL_PAGES = 0x7fffffff

function verify({ path }: VerifyRequest): void {
  const connection = openLongReader(path)
  try {
    const found = String(connection.db.pragma('quick_check(1)', { simple: true }))
    if (found !== 'ok')
      throw new AppError('unavailable', 'DOCUMENT_DAMAGED', 'the document file is damaged')
  } finally {
    connection.close()
  }
}

function handle(message: ToWorker, send: Send): void {
  switch (message.kind) {
    case 'read':
      startRead(message, send)
      break
    case 'run':
      run(message)
      send({ kind: 'done', id: message.id })
      break
    case 'copy':
      send({
        kind: 'copied',
        id: message.id,
        moment: copyDocument(message.path, message.to, message.form),
      })
      break
    case 'verify':
      verify(message)
      send({ kind: 'done', id: message.id })
      break
    case 'takeBack':
      takeBack(message.path, message.seq)
      send({ kind: 'done', id: message.id })
      break
    case 'duplicate':
      duplicate(message).then(
        () => send({ kind: 'done', id: message.id }),
        (error: unknown) => send({ kind: 'failed', id: message.id, error: serializeError(error) }),
      )
      break
    case 'more':
      reads.get(message.id)?.more()
      break
    case 'end':
      reads.get(message.id)?.end()
      break
  }
}

function listen(port: MessagePort): void {
  const send: Send = (message, transfer = []) => port.postMessage(message, transfer)
  port.on('message', (message: ToWorker) => {
    try {
      handle(message, send)
    } catch (error) {
      send({ kind: 'failed', id: message.id, error: serializeError(error) })
    }
  })
}

if (parentPort) listen(parentPort)
