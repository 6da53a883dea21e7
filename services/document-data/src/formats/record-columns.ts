import type { ColumnType } from '../values/column-type'
import type { ColumnKind, Row, RowValue, WrittenColumn } from './row-writer'

/**
 * Maps the cells of records to one kind per column. The kind depends only on the column type, never on cells,
 * so that all pages of a table have the same schema. A cell that does not match the kind, such as text in a
 * numeric column, is null in its column and appears as JSON in the last column, `_unparsed`.
 */

/** A column of typed records. */
export interface KeptColumn extends WrittenColumn {
  readonly kind: ColumnKind
}

/** Name of the column for unparsed cells; cannot clash, because column ids begin with a letter. */
const UNPARSED: KeptColumn = { name: '_unparsed', kind: 'json' }

/** Returns the columns of records: the row id, one for each table column, and one for unparsed cells. */
export function recordColumns(
  columns: readonly { readonly id: string; readonly type: ColumnType }[],
): KeptColumn[] {
  return [
    { name: 'id', kind: 'int64' },
    ...columns.map(({ id, type }) => {
      const kind = kindOf(type)
      return { name: id, kind, ...(kind === 'timestamp' && { zone: type.argument ?? 'UTC' }) }
    }),
    UNPARSED,
  ]
}

const kinds: Readonly<Record<string, ColumnKind>> = {
  Text: 'text',
  Choice: 'text',
  Bool: 'bool',
  Int: 'int32',
  Ref: 'int64',
  Date: 'date',
  DateTime: 'timestamp',
  ChoiceList: 'textList',
  RefList: 'int64List',
  Attachments: 'int64List',
  Numeric: 'float64',
  ManualSortPos: 'float64',
  PositionNumber: 'float64',
  Any: 'json',
}

/** JSON can represent cells of any type. */
function kindOf({ name }: ColumnType): ColumnKind {
  return kinds[name] ?? 'json'
}

/** Converts a record, given as a list of its id and its cells, to a row. */
export function recordRow(columns: readonly KeptColumn[], cells: readonly unknown[]): Row {
  let unparsed: Record<string, unknown> | undefined
  const row: RowValue[] = []
  for (let place = 0; place < cells.length; place++) {
    const { name, kind } = columns[place] ?? UNPARSED
    const cell = cells[place]
    const value = cell === null ? null : readers[kind](cell)
    if (value === undefined) (unparsed ??= {})[name] = cell
    row.push(value ?? null)
  }
  row.push(unparsed ? JSON.stringify(unparsed) : null)
  return row
}

const DAY = 86_400
const MAX_DAYS = 2 ** 31
/** Bound of seconds whose microseconds safely fit in 64 bits. */
const MAX_SECONDS = 9e12

/** Converts a cell to a value of a kind; undefined if it is not one. */
const readers: Readonly<Record<ColumnKind, (cell: unknown) => RowValue | undefined>> = {
  null: () => undefined,
  bool: (cell) => (typeof cell === 'boolean' ? cell : undefined),
  int32: (cell) => (isWhole(cell) && cell === (cell | 0) ? cell : undefined),
  int64: (cell) => (isWhole(cell) ? cell : undefined),
  float64: (cell) => (typeof cell === 'number' ? cell : undefined),
  date: readDay,
  timestamp: readInstant,
  text: (cell) => (typeof cell === 'string' ? cell : undefined),
  json: (cell) => JSON.stringify(cell),
  bytes: () => undefined,
  textList: (cell) => readList(cell, (item) => typeof item === 'string'),
  int64List: (cell) => readList(cell, isWhole),
}

function isWhole(cell: unknown): cell is number {
  return Number.isSafeInteger(cell)
}

function readDay(cell: unknown): number | undefined {
  const days = Number(isWhole(cell) ? cell : NaN) / DAY
  return Number.isInteger(days) && days >= -MAX_DAYS && days < MAX_DAYS ? days : undefined
}

/** Rounds to the nearest microsecond, about the precision of a double for seconds. */
function readInstant(cell: unknown): bigint | undefined {
  if (typeof cell !== 'number' || Math.abs(cell) > MAX_SECONDS) return undefined
  const whole = Math.floor(cell)
  return BigInt(whole) * 1_000_000n + BigInt(Math.round((cell - whole) * 1e6))
}

function readList(cell: unknown, isItem: (item: unknown) => boolean): RowValue | undefined {
  if (!Array.isArray(cell) || cell[0] !== 'L') return undefined
  const items = cell.slice(1) as RowValue[]
  return items.every(isItem) ? items : undefined
}
