import type { EnteredRow, ExpectedChange, RowChange } from './cells-api'

/** A cell of a table. */
export interface CellOfRow {
  readonly rowId: number
  readonly colId: string
  /** Stays the same when the column is renamed; undefined if it is not known. */
  readonly colRef: number | undefined
}

/** True for the same cell, also after its column was renamed. */
export function isSameCell(one: CellOfRow, other: CellOfRow): boolean {
  if (one.rowId !== other.rowId) return false
  const isKnown = one.colRef !== undefined && other.colRef !== undefined
  return isKnown ? one.colRef === other.colRef : one.colId === other.colId
}

/** Returns a row whose `before` has the stored values of the cells that were sent; the same row if it has none of them. */
export function rebase(
  row: EnteredRow,
  stored: Readonly<Record<string, unknown>>,
  sent: RowChange['fields'],
): EnteredRow {
  const both = Object.keys(row.fields).filter((colId) => colId in sent)
  if (both.length === 0) return row
  const before = Object.fromEntries(both.map((colId) => [colId, stored[colId]]))
  return { ...row, before: { ...row.before, ...before } }
}

/** Joins the cells of each row. */
export function joined(cells: readonly EnteredRow[]): EnteredRow[] {
  const rows = new Map<number, EnteredRow>()
  for (const cell of cells) {
    const { fields, before, colRefs } = rows.get(cell.id) ?? { fields: {}, before: {}, colRefs: {} }
    rows.set(cell.id, {
      ...cell,
      fields: { ...fields, ...cell.fields },
      before: { ...before, ...cell.before },
      colRefs: { ...colRefs, ...cell.colRefs },
    })
  }
  return [...rows.values()]
}

/** Splits rows by their cells. Rows without cells are left out. */
export function takeCells(
  rows: readonly EnteredRow[],
  isTaken: (row: EnteredRow, colId: string) => boolean,
): { readonly taken: EnteredRow[]; readonly kept: EnteredRow[] } {
  const taken: EnteredRow[] = []
  const kept: EnteredRow[] = []
  for (const row of rows) {
    const cells = Object.entries(row.fields)
    for (const [part, isPart] of [
      [taken, true],
      [kept, false],
    ] as const) {
      const own = cells.filter(([colId]) => isTaken(row, colId) === isPart)
      if (own.length > 0) part.push({ ...row, fields: Object.fromEntries(own) })
    }
  }
  return { taken, kept }
}

/** Returns the change of a row that is sent: it is made only where the cells are as they were before. */
export function toRecord({
  id,
  fields,
  before,
}: Pick<EnteredRow, 'id' | 'fields' | 'before'>): ExpectedChange {
  const known = Object.keys(fields).filter((colId) => colId in before)
  if (known.length === 0) return { id, fields }
  const expect = Object.fromEntries(known.map((colId) => [colId, before[colId] ?? null]))
  return { id, fields, expect }
}
