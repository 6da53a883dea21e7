import type { Column } from '../../api/resources'
import {
  fitColumns,
  MAX_WIDTH,
  MIN_WIDTH,
  plainArrangement,
  readSummary,
  rowHeights,
  type ArrangedColumn,
  type Arrangement,
} from './arrangement'

/** A column with its ref, which stays when the column is renamed. */
interface StoredColumn extends ArrangedColumn {
  readonly ref: number
}

/** An arrangement as JSON. */
export interface StoredArrangement extends Arrangement {
  readonly columns: readonly StoredColumn[]
}

/** Returns what to store of an arrangement. */
export function toStored(arrangement: Arrangement, columns: readonly Column[]): StoredArrangement {
  const refs = new Map(columns.map(({ id, fields }) => [id, fields.colRef]))
  const stored = arrangement.columns.map(({ id, width, hidden, summary }) => ({
    id,
    ref: refs.get(id) ?? 0,
    ...(width !== undefined && { width }),
    ...(hidden === true && { hidden }),
    ...(summary && { summary }),
  }))
  return { ...arrangement, columns: stored }
}

/**
 * Reads an arrangement of the columns that a table has. Columns are found by their refs, and those without one by their ids.
 * Invalid parts are ignored, since clients can store anything; undefined for what is no arrangement.
 */
export function readStored(stored: unknown, columns: readonly Column[]): Arrangement | undefined {
  if (!isObject(stored) || !Array.isArray(stored.columns)) return undefined
  const ids = columns.map(({ id }) => id)
  const byRef = new Map<unknown, string>(columns.map(({ id, fields }) => [fields.colRef, id]))
  const plain = plainArrangement(ids)
  const found = stored.columns.flatMap((column: unknown) => readColumn(column, byRef) ?? [])
  const unique = new Map(found.map((column) => [column.id, column]))
  const { frozenColumns, rowHeight, wrapText } = stored
  return fitColumns(
    {
      columns: [...unique.values()],
      frozenColumns: Number.isInteger(frozenColumns) ? Number(frozenColumns) : 0,
      rowHeight: rowHeights.find((height) => height === rowHeight) ?? plain.rowHeight,
      wrapText: wrapText === true,
    },
    ids,
  )
}

function readColumn(
  column: unknown,
  byRef: ReadonlyMap<unknown, string>,
): ArrangedColumn | undefined {
  if (!isObject(column)) return undefined
  const id = column.ref === undefined ? column.id : byRef.get(column.ref)
  if (typeof id !== 'string') return undefined
  const { width } = column
  const isWidth = typeof width === 'number' && width >= MIN_WIDTH && width <= MAX_WIDTH
  const summary = readSummary(column.summary)
  return {
    id,
    ...(isWidth && { width }),
    ...(column.hidden === true && { hidden: true }),
    ...(summary && { summary }),
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
