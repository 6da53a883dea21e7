import type { ColumnType } from '../values/column-type'
import type { ColumnKind, Row, RowValue, WrittenColumn } from './row-writer'

/**
 * How the cells of records become values of one kind for each column. The kind follows from the type of the column and never
 * from its cells, so that all pages of a table have one schema. A cell that is no value of the kind, such as text that was
 * kept in a column of numbers, is null in its column and stands as JSON in the last one, `_unparsed`.
 */

/** A column of records that are written by kinds. */
export interface KeptColumn extends WrittenColumn {
  readonly kind: ColumnKind
}

/** Holds what its columns cannot; no column can be called so, since their ids begin with a letter. */
const UNPARSED: KeptColumn = { name: '_unparsed', kind: 'json' }

/** The columns of records: the row id, one for each column of the table, and one for what fits none of them. */
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

/** JSON can hold the cells of any type. */
function kindOf({ name }: ColumnType): ColumnKind {
  return kinds[name] ?? 'json'
}

/** The row of a record, given as a list of its id and its cells. */
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
/** Seconds whose microseconds are sure to have 64 bits. */
const MAX_SECONDS = 9e12

/** The value of a kind that a cell is, undefined when it is none. */
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

/** To the nearest microsecond: a number of seconds has about as many digits. */
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
