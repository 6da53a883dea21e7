import type { CellEditRequestEvent } from 'ag-grid-community'
import { useCallback, useMemo, useState, type ClipboardEvent } from 'react'
import type { Column } from '../api/resources'
import { describeError } from '../components/states'
import { showCell } from '../document/show-cell'
import type { Row } from './row'
import type { RowChange } from './rows-api'
import { readTsv, toTsvCell } from './tsv'
import type { GridRef, GridRows } from './use-grid-rows'

/** What can be done with rows, and what the last of it was refused for. */
export interface RowActions {
  /** What went wrong with the last change of cells. */
  readonly problem: string | undefined
  readonly dismiss: () => void
  readonly onEdit: (event: CellEditRequestEvent<Row>) => void
  readonly onClear: (row: Row, colId: string) => void
  readonly onCopy: (event: ClipboardEvent) => void
  readonly onPaste: (event: ClipboardEvent) => void
}

/** Rows that are pasted at once. */
const MOST_PASTED = 1_000

const isEntry = (target: EventTarget): boolean =>
  target instanceof Element && target.closest('input, textarea, select') !== null

/** Changes cells as they are edited, emptied and pasted. */
export function useRowActions(
  { writes, store }: GridRows,
  columns: readonly Column[],
  grid: GridRef,
): RowActions {
  const [problem, setProblem] = useState<string>()
  const dismiss = useCallback(() => setProblem(undefined), [])
  const write = useCallback(
    (changes: readonly RowChange[], what: string) => {
      setProblem(undefined)
      writes.write(changes).catch((error: unknown) => {
        setProblem(`${what}: ${describeError(error)}`)
      })
    },
    [writes],
  )
  const handlers = useMemo(
    () => createHandlers({ write, setProblem, columns, grid, store }),
    [write, columns, grid, store],
  )
  return { problem, dismiss, ...handlers }
}

interface Parts extends Pick<GridRows, 'store'> {
  readonly write: (changes: readonly RowChange[], what: string) => void
  readonly setProblem: (problem: string) => void
  readonly columns: readonly Column[]
  readonly grid: GridRef
}

type Handlers = Omit<RowActions, 'problem' | 'dismiss'>

function createHandlers({ write, setProblem, columns, grid, store }: Parts): Handlers {
  const nameOf = (colId: string) => columns.find(({ id }) => id === colId)?.fields.label || colId
  const writeCell = ({ id }: Row, colId: string, value: unknown, place: string) =>
    write([{ id, fields: { [colId]: value } }], `${nameOf(colId)}, ${place}`)
  return {
    onEdit({ data, column, newValue, oldValue, node }) {
      const shown = columns.find(({ id }) => id === column.getColId())
      if (!shown || newValue === oldValue) return
      // A cell that was opened and left as it was is not written.
      if (typeof newValue === 'string' && newValue === showCell(oldValue, shown)) return
      const value: unknown = newValue === undefined ? null : newValue
      writeCell(data, shown.id, value, `row ${(node.rowIndex ?? 0) + 1}`)
    },
    onClear: (row, colId) => writeCell(row, colId, null, `row id ${row.id}`),
    onCopy(event) {
      const focused = grid.current?.getFocusedCell()
      const shown = columns.find(({ id }) => id === focused?.column.getColId())
      const row = focused ? store.at(focused.rowIndex) : undefined
      if (!shown || !row || isEntry(event.target)) return
      event.preventDefault()
      event.clipboardData.setData('text/plain', toTsvCell(showCell(row.fields[shown.id], shown)))
    },
    onPaste(event) {
      const focused = grid.current?.getFocusedCell()
      if (!focused || isEntry(event.target)) return
      event.preventDefault()
      const lines = readTsv(event.clipboardData.getData('text/plain'))
      const at = columns.findIndex(({ id }) => id === focused.column.getColId())
      if (at < 0) return
      const rows = lines
        .slice(0, MOST_PASTED)
        .map((_, place) => store.at(focused.rowIndex + place))
        .filter((row) => row !== undefined)
      const found = pasted(lines, rows, columns.slice(at))
      if (typeof found === 'string') return setProblem(found)
      write(found, 'Paste')
      if (rows.length < lines.length)
        setProblem(
          `Pasted ${rows.length} of ${lines.length} rows: the others do not fit below this cell.`,
        )
    },
  }
}

/** What a block of cells changes; or why it does not. */
function pasted(
  lines: readonly (readonly string[])[],
  rows: readonly Row[],
  columns: readonly Column[],
): RowChange[] | string {
  const width = Math.max(...lines.map((line) => line.length))
  if (width > columns.length)
    return `Paste: the cells are ${width} columns wide, and ${columns.length} begin here.`
  const computed = columns.slice(0, width).find(({ fields }) => fields.isFormula)
  if (computed) return `Paste: ${computed.fields.label || computed.id} is computed.`
  return rows.map(({ id }, place) => {
    const cells = (lines[place] ?? []).map((text, column) => [columns[column]?.id ?? '', text])
    return { id, fields: Object.fromEntries(cells) as Record<string, unknown> }
  })
}
