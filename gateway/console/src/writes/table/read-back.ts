import type { CellsApi, EnteredRow, StoredRows } from './cells-api'

/** Larger writes are not read back row by row; views are refreshed instead. */
const MAX_READ_BACK = 100

/** Reads the rows of a write, in one attempt: the next write is waiting. Undefined if there are many, or if that fails. */
export async function readBack(
  api: CellsApi,
  rows: readonly EnteredRow[],
): Promise<StoredRows | undefined> {
  if (rows.length > MAX_READ_BACK) return undefined
  return api.readRows(rows.map(({ id }) => id)).catch(() => undefined)
}

/** Reads any number of rows. */
export async function readRows(api: CellsApi, ids: readonly number[]): Promise<StoredRows> {
  const parts: StoredRows[] = []
  for (let at = 0; at < ids.length; at += MAX_READ_BACK)
    parts.push(await api.readRows(ids.slice(at, at + MAX_READ_BACK)))
  const rows = parts.flatMap((part) => part.rows)
  return { rows, seq: Math.min(...parts.map(({ seq }) => seq)) }
}
