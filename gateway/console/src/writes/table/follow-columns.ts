import type { EnteredRow, TableColumn } from './cells-api'
import { takeCells } from './entered-rows'

/** Entered cells after the columns of their table have changed. */
interface FollowedRows {
  /** Under the present ids of their columns. */
  readonly rows: EnteredRow[]
  /** Those whose columns were deleted. */
  readonly gone: EnteredRow[]
  readonly isRenamed: boolean
}

/** Returns cells under the present ids of their columns. A column that was not known when its cell was entered keeps its id. */
export function followColumns(
  entered: readonly EnteredRow[],
  columns: readonly TableColumn[],
): FollowedRows {
  const ids = new Map(columns.map(({ id, colRef }) => [colRef, id]))
  const idOf = (colId: string, colRef: number | undefined) =>
    colRef === undefined ? colId : ids.get(colRef)
  const rows: EnteredRow[] = []
  const gone: EnteredRow[] = []
  let isRenamed = false
  for (const row of entered) {
    const present = (colId: string) => idOf(colId, row.colRefs?.[colId])
    const { taken, kept } = takeCells([row], (_, colId) => present(colId) === undefined)
    gone.push(...taken)
    for (const { fields } of kept) {
      const ofPresent = (values: Readonly<Record<string, unknown>>) =>
        Object.fromEntries(
          Object.keys(fields).flatMap((colId) =>
            colId in values ? [[present(colId) ?? colId, values[colId]]] : [],
          ),
        )
      isRenamed ||= Object.keys(fields).some((colId) => present(colId) !== colId)
      const colRefs = ofPresent(row.colRefs ?? {}) as Record<string, number>
      rows.push({ ...row, fields: ofPresent(fields), before: ofPresent(row.before), colRefs })
    }
  }
  return { rows, gone, isRenamed }
}
