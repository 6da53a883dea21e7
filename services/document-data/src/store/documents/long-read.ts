import type { DocumentReader } from '../document'
import type { Connection } from '../sqlite/connections'
import type { AcquireSlot, Loan } from '../sqlite/reader-pool'
import { callEnded, readInChunks, type ReadLimits } from '../reads/record-chunks'
import type { Schema } from '../schema/schema'
import type { ThreadPlan } from '../workers/worker-messages'
import type { WorkerRead } from '../workers/worker-read'
import type { OpenDocument } from './open-document'

/** Attempts to get a thread's snapshot of the schema that the read was planned for. */
const ATTEMPTS = 3

/** The result of a read: its bytes in chunks, all of one moment. */
export interface ChunkedReply {
  /** Log position of that moment. */
  readonly seq: number
  /** Must be iterated, or returned, to its end. */
  readonly chunks: AsyncIterable<Buffer> | Iterable<Buffer>
  /** Must be called once when the transport has taken the chunks; absent when nothing is held for them. */
  readonly release?: () => void
}

/** A long read, planned for the present state of the document. */
export interface LongRead {
  /** What a thread runs; undefined to read on the event loop. */
  readonly inThread: ThreadPlan | undefined
  /** Reads on the event loop; yields null for steps that produce no output. */
  readonly parts: (connection: Connection) => Iterator<Buffer | null, void>
  /** The schema that the plan depends on; undefined when it suits any. */
  readonly schema: Schema | undefined
}

/**
 * Runs a long read: in a thread, or on the event loop, piece by piece between other work. `plan` is called
 * for each attempt, and may find that the reply is available at once.
 */
export async function readLong(
  doc: OpenDocument,
  limits: ReadLimits,
  plan: () => LongRead | ChunkedReply,
): Promise<ChunkedReply> {
  await doc.pool.admit()
  for (let attempt = 1; ; attempt++) {
    doc.requireOpen()
    if (limits.signal?.aborted) throw callEnded()
    const planned = plan()
    if ('chunks' in planned) return planned
    const { inThread, parts, schema } = planned
    const read = inThread && attempt <= ATTEMPTS ? startInThread(doc, inThread, limits) : undefined
    if (!read) return readHere(doc, parts, limits)
    const seq = await read.begun
    // The thread takes its own snapshot, whose schema may differ; its log position is exact in any case.
    if (!schema || schema === doc.state.schema) return { seq, chunks: read.chunks() }
    read.fail(callEnded())
  }
}

/** Starts a read in a thread; undefined when there are no threads. Throws `too_many` when too many run. */
function startInThread(
  doc: OpenDocument,
  plan: ThreadPlan,
  limits: ReadLimits,
): WorkerRead | undefined {
  const { workers, pool, path } = doc
  if (!workers.available) return undefined
  let read: WorkerRead | undefined
  const leave = pool.enter((reason) => read?.fail(reason), slotFor(doc, limits))
  try {
    return (read = workers.read(path, plan, limits, leave))
  } catch (error) {
    leave()
    throw error
  }
}

/** Acquires a slot for the user of a read; Sheaf's own reads need none. */
function slotFor({ longReads }: OpenDocument, { userId }: ReadLimits): AcquireSlot | undefined {
  return userId === undefined ? undefined : () => longReads.acquire(userId)
}

/** Runs a read that waits for something else; its snapshot lasts until the promise has settled. */
export async function readWhile<T>(
  doc: OpenDocument,
  limits: ReadLimits,
  run: (reader: DocumentReader) => Promise<T>,
): Promise<T> {
  await doc.pool.admit()
  doc.requireOpen()
  const loan = borrowSnapshot(doc, limits)
  try {
    return await run({ docId: doc.docId, connection: loan.connection, ...doc.state })
  } finally {
    loan.release()
  }
}

function readHere(doc: OpenDocument, parts: LongRead['parts'], limits: ReadLimits): ChunkedReply {
  const loan = borrowSnapshot(doc, limits)
  return { seq: doc.state.seq, chunks: readInChunks(loan, parts(loan.connection), limits) }
}

function borrowSnapshot(doc: OpenDocument, limits: ReadLimits): Loan {
  const loan = doc.pool.borrow(slotFor(doc, limits))
  try {
    // The snapshot starts with the first read, here: nothing is written in between.
    loan.connection.prepare('BEGIN').run()
    loan.connection.pluck('SELECT max(seq) FROM _sheaf_log').get()
  } catch (error) {
    loan.release()
    throw error
  }
  return loan
}
