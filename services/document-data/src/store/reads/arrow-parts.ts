import { createRowWriter } from '../../formats/create-row-writer'
import { recordRow, type KeptColumn } from '../../formats/record-columns'

/**
 * An Arrow stream of parts whose rows are JSON lists, separated by commas; null for a part that holds no
 * rows. SQLite writes JSON faster than rows can be taken from it cell by cell.
 */
export function* arrowParts(
  columns: readonly KeptColumn[],
  parts: Iterable<Buffer | null>,
): Generator<Buffer | null> {
  const writer = createRowWriter('arrow', columns)
  for (const part of parts) {
    if (!part) yield null
    else yield* writer.write(readRows(part).map((cells) => recordRow(columns, cells)))
  }
  yield* writer.finish()
}

/** The rows of a part; each but the first begins with what separates it from the one before. */
function readRows(part: Buffer): unknown[][] {
  const text = part.toString()
  return JSON.parse(`[${text.startsWith(',') ? text.slice(1) : text}]`) as unknown[][]
}
