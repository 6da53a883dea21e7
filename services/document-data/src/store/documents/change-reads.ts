import { unpackPart, type ChangePart } from '../feed/change-parts'
import { changeParts, isShortRead, requireKept } from '../feed/changes'
import type { ChangesPlan } from '../feed/changes-plan'
import { callEnded, type ReadLimits } from '../reads/record-chunks'
import type { OpenDocument } from './open-document'
import { readHere, readInThread } from './record-reads'

/** What a read that is done at once may answer. */
const MAX_SHORT_BYTES = 1024 * 1024

/** A part of the log at one moment. */
export interface ChangesReply {
  /** Position of the latest entry at that moment. */
  readonly seq: number
  /** A list when all of it is there. Must be iterated, or returned, to its end. */
  readonly parts: readonly ChangePart[] | AsyncIterable<ChangePart>
}

/**
 * Reads the log: at once when there is little to do, else in a thread, or piece by piece between other work when there is
 * none. Throws `precondition` when it does not reach back so far.
 */
export function readChanges(
  doc: OpenDocument,
  plan: ChangesPlan,
  limits: ReadLimits,
): ChangesReply | Promise<ChangesReply> {
  const short = doc.read(({ connection, schema, seq }) => {
    requireKept(connection, plan.after)
    if (!isShortRead(connection, plan)) return undefined
    const parts: ChangePart[] = []
    let bytes = 0
    for (const part of changeParts(connection, plan, { schema, maxPassBytes: MAX_SHORT_BYTES })) {
      bytes += part?.length ?? 0
      // Few rows may be large ones.
      if (bytes > MAX_SHORT_BYTES) return undefined
      if (part) parts.push(unpackPart(part))
    }
    return { seq, parts }
  })
  return short ?? readLong(doc, plan, limits)
}

async function readLong(
  doc: OpenDocument,
  plan: ChangesPlan,
  limits: ReadLimits,
): Promise<ChangesReply> {
  await doc.pool.admit()
  doc.requireOpen()
  if (limits.signal?.aborted) throw callEnded()
  const read = readInThread(doc, plan, limits)
  if (read) return { seq: await read.begun, parts: unpack(read.chunks()) }
  const here = readHere(doc, (connection) => changeParts(connection, plan), limits)
  return { seq: here.seq, parts: unpack(here.chunks) }
}

async function* unpack(chunks: AsyncIterable<Buffer> | Iterable<Buffer>) {
  for await (const chunk of chunks) yield unpackPart(chunk)
}
