import { unpackPart, type ChangePart } from '../feed/change-parts'
import { changeParts, isShortRead, requireKept } from '../feed/changes'
import type { ChangesPlan } from '../feed/changes-plan'
import type { ReadLimits } from '../reads/record-chunks'
import type { Connection } from '../sqlite/connections'
import { readLong } from './long-read'
import type { OpenDocument } from './open-document'

/** Largest result of a read on the event loop, in bytes. */
const MAX_SHORT_BYTES = 1024 * 1024

/** A range of the log at one moment. */
export interface ChangesReply {
  /** Position of the latest entry at that moment. */
  readonly seq: number
  /** A list when the result is complete; otherwise it must be iterated, or returned, to its end. */
  readonly parts: readonly ChangePart[] | AsyncIterable<ChangePart>
}

/**
 * Reads the log: at once when the range is short, otherwise in a thread, or without threads piece by piece
 * between other work. Throws `precondition` when the log does not reach back that far.
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
      // Even a few rows may be large.
      if (bytes > MAX_SHORT_BYTES) return undefined
      if (part) parts.push(unpackPart(part))
    }
    return { seq, parts }
  })
  return short ?? readLongPart(doc, plan, limits)
}

async function readLongPart(
  doc: OpenDocument,
  plan: ChangesPlan,
  limits: ReadLimits,
): Promise<ChangesReply> {
  const parts = (connection: Connection) => changeParts(connection, plan)
  const read = { inThread: plan, parts, schema: undefined }
  const { seq, chunks } = await readLong(doc, limits, () => read)
  return { seq, parts: unpack(chunks) }
}

async function* unpack(chunks: AsyncIterable<Buffer> | Iterable<Buffer>) {
  for await (const chunk of chunks) yield unpackPart(chunk)
}
