import { AppError } from '@sheaf/kit/errors'
import { quoteId } from '../../quoting/quote'
import type { Cell, ColumnType, StoredValue } from '../../values/column-type'
import type { DocumentReader } from '../document'
import type { Column } from '../schema/schema'

/* The checks of strict writes (`Prefer: handling=strict`): what other writes keep as it is, these reject. */

/** How messages name rows. */
export interface Places {
  /** Index of each row in the request; absent when they are the same. */
  readonly places?: readonly number[]
}

/** One column of a write, in stored form. */
interface WrittenColumn {
  readonly column: Column
  readonly values: readonly StoredValue[]
}

/** Throws AppError `invalid` (INVALID_VALUE) for a cell that its column can only keep as text. */
export function requireFit(
  column: Column,
  cells: readonly (Cell | undefined)[],
  stored: readonly StoredValue[],
  options: Places,
): void {
  const at = stored.findIndex((value, row) => !fits(column.type, cells[row] ?? null, value))
  if (at >= 0) throw refusal(column, at, `does not fit its type ${column.typeName}`, options)
}

function fits({ name, storage }: ColumnType, cell: Cell, value: StoredValue): boolean {
  switch (storage) {
    case 'text':
      return !Array.isArray(cell)
    case 'number':
      // A position that is no number is stored as null.
      return name.endsWith('SortPos') ? cell === null || value !== null : typeof value !== 'string'
    case 'list':
      // Only lists begin with a bracket: see tagged-text.ts.
      return typeof value !== 'string' || value.startsWith('[')
    case 'any':
      return true
  }
}

/**
 * Throws AppError `invalid` (INVALID_VALUE) for a reference to a row or attachment that does not exist. Called
 * after rows are added, which may refer to each other.
 */
export function requireReferenced(
  doc: DocumentReader,
  columns: readonly WrittenColumn[],
  options: Places,
): void {
  for (const { column, values } of columns) {
    const { argument, name } = column.type
    if (argument === undefined || name === 'DateTime') continue
    const isFile = name === 'Attachments'
    const tableId = isFile ? argument : doc.schema.find(argument)?.tableId
    const ids = values.map(idsOf)
    const missing = findMissing(doc, tableId, [...new Set(ids.flat())])
    if (missing === undefined) continue
    const at = ids.findIndex((list) => list.includes(missing))
    const target = isFile ? `attachment ${missing}` : `row ${missing} of table "${argument}"`
    throw refusal(column, at, `refers to ${target}, which does not exist`, options)
  }
}

/** Row ids of a stored reference or list of references; kept text has none. */
function idsOf(value: StoredValue): readonly number[] {
  if (typeof value === 'bigint') return value > 0n ? [Number(value)] : []
  return typeof value === 'string' && value.startsWith('[') ? (JSON.parse(value) as number[]) : []
}

function findMissing(
  { connection }: DocumentReader,
  tableId: string | undefined,
  ids: readonly number[],
): number | undefined {
  if (tableId === undefined || ids.length === 0) return ids[0]
  return connection
    .pluck<number>(
      `SELECT value FROM json_each(?)
       WHERE NOT EXISTS (SELECT 1 FROM ${quoteId(tableId)} WHERE id = value) LIMIT 1`,
    )
    .get(JSON.stringify(ids))
}

function refusal({ id }: Column, row: number, fault: string, { places }: Places): AppError {
  const index = String(places?.[row] ?? row)
  return new AppError(
    'invalid',
    'INVALID_VALUE',
    `column "${id}": the cell of item ${index} ${fault}`,
    {
      column: id,
      index,
    },
  )
}
