import { AppError } from '@sheaf/kit/errors'
import { shorten } from '@sheaf/kit/truncate-text'
import { quoteId } from '../../quoting/quote'
import type { Cell } from '../../values/column-type'
import type { DocumentWriter } from '../document'
import { addOrUpdateRecords, type AddOrUpdateStep } from '../records/add-or-update'
import { formulaColumn, type CellColumns, type WriteOptions } from '../records/conversion'
import { requireExpected } from '../records/expected-cells'
import { addRecords, deleteRecords, updateRecords } from '../records/records'
import type { Table } from '../schema/schema'
import { invalidColumn } from '../schema/unknown-names'
import type { ExpectedRecord, OperationResult, RecordsOperation, RowName } from './operations'
import type { TemporaryIds } from './temporary-ids'

/** What operations on rows need of their batch. */
export interface BatchState {
  readonly doc: DocumentWriter
  readonly options: WriteOptions
  readonly ids: TemporaryIds
  /** Location of the operation. */
  readonly path: string
}

type Of<K extends RecordsOperation['op']> = Extract<RecordsOperation, { readonly op: K }>

/** Applies an operation on rows. Throws as the functions of the same names do, with the location of the fault. */
export function applyToRecords(state: BatchState, operation: RecordsOperation): OperationResult {
  const table = state.doc.schema.getWritable(operation.table)
  switch (operation.op) {
    case 'addRecords':
      return add(state, table, operation)
    case 'updateRecords':
      return update(state, table, operation)
    case 'addOrUpdateRecords':
      return addOrUpdate(state, table, operation)
    case 'deleteRecords':
      return remove(state, table, operation)
  }
}

function add(state: BatchState, table: Table, operation: Of<'addRecords'>): OperationResult {
  const { doc, ids, options } = state
  const { count, names } = operation
  const cells = resolve(state, table, { cells: operation.cells })
  const added = addRecords(doc, table.tableId, { count, cells }, options)
  names.forEach((name, index) => {
    if (name !== undefined) ids.add(name, table, added[index] ?? 0)
  })
  return { added }
}

function update(state: BatchState, table: Table, operation: Of<'updateRecords'>): OperationResult {
  const { doc, options } = state
  requireAll(state, table, operation.expected)
  const updated = new Set<number>()
  for (const { places, rows, cells } of operation.steps) {
    const rowIds = rows.map((row, i) => rowOf(state, table, row, places[i]))
    requireRows(state, table, rowIds, places)
    const resolved = resolve(state, table, { cells, places })
    updateRecords(doc, table.tableId, { rowIds, cells: resolved }, { ...options, places })
    for (const id of rowIds) updated.add(id)
  }
  return { updated: [...updated] }
}

function addOrUpdate(
  state: BatchState,
  table: Table,
  operation: Of<'addOrUpdateRecords'>,
): OperationResult {
  const { count, onMany, noAdd, noUpdate, allowEmptyRequire } = operation
  const groups = operation.groups.map((step): AddOrUpdateStep => ({
    places: step.places,
    require: resolve(state, table, { cells: step.require, places: step.places, of: 'require' }),
    fields: resolve(state, table, { cells: step.fields, places: step.places }),
    expected: step.expected?.map(
      (cells, at) => cells && resolveExpected(state, table, cells, step.places[at] ?? 0),
    ),
  }))
  const options = { ...state.options, onMany, noAdd, noUpdate, allowEmptyRequire }
  const done = addOrUpdateRecords(state.doc, table.tableId, { count, groups }, options)
  return { records: done.records, added: done.added, updated: [...new Set(done.updated.flat())] }
}

function remove(state: BatchState, table: Table, operation: Of<'deleteRecords'>): OperationResult {
  const { doc } = state
  requireAll(state, table, operation.expected)
  const rowIds = operation.rows.map((row, place) => rowOf(state, table, row, place))
  const missing = new Set(findMissing(doc, table, rowIds))
  deleteRecords(doc, table.tableId, rowIds)
  return { removed: [...new Set(rowIds)].filter((id) => !missing.has(id)) }
}

function rowOf({ doc, ids, path }: BatchState, table: Table, row: RowName, place = 0): number {
  return ids.resolve(doc, row, table, `${path}.records[${place}].id`)
}

/** Cells of an operation, with the indexes of their records. */
interface PlacedCells {
  readonly cells: CellColumns
  readonly places?: readonly number[]
  /** Property of the record that holds them. */
  readonly of?: 'fields' | 'require' | 'expect'
}

function resolve(
  { doc, ids, path }: BatchState,
  table: Table,
  { cells, places, of = 'fields' }: PlacedCells,
): CellColumns {
  const pathOf = (column: string, index: number) =>
    `${path}.records[${places?.[index] ?? index}].${of}.${column}`
  for (const [colId, list] of cells) {
    const fault = of === 'require' && colId === 'id' ? undefined : faultOf(table, colId, of)
    const first = list.findIndex((cell) => cell !== null && cell !== undefined)
    if (fault) throw at(fault, pathOf(shorten(colId), Math.max(0, first)))
  }
  return ids.resolveCells(doc, table, cells, pathOf)
}

/** Why a column cannot be used. */
function faultOf(table: Table, colId: string, of: PlacedCells['of']): AppError | undefined {
  const column = table.byId.get(colId)
  if (!column) return invalidColumn(colId, table)
  return of === 'fields' ? formulaColumn(column) : undefined
}

function resolveExpected(
  state: BatchState,
  table: Table,
  expected: ReadonlyMap<string, Cell>,
  place: number,
): ReadonlyMap<string, Cell> {
  const cells = new Map([...expected].map(([colId, cell]) => [colId, [cell]]))
  const resolved = resolve(state, table, { cells, places: [place], of: 'expect' })
  return new Map([...resolved].map(([colId, [cell]]) => [colId, cell ?? null]))
}

/** Throws `precondition` unless the rows hold what is expected, and `invalid` for one that does not exist. */
function requireAll(state: BatchState, table: Table, expected: readonly ExpectedRecord[]): void {
  if (expected.length === 0) return
  const rows = expected.map(({ place, row, cells }) => ({
    rowId: rowOf(state, table, row, place),
    cells: resolveExpected(state, table, cells, place),
  }))
  const places = expected.map(({ place }) => place)
  const rowIds = rows.map(({ rowId }) => rowId)
  requireRows(state, table, rowIds, places)
  try {
    requireExpected(state.doc, table.tableId, rows)
  } catch (error) {
    if (!(error instanceof AppError) || error.metadata.recordId === undefined) throw error
    const place = places[rowIds.indexOf(Number(error.metadata.recordId))] ?? 0
    throw at(error, `${state.path}.records[${place}].expect.${error.metadata.column ?? ''}`)
  }
}

function requireRows(
  { doc, path }: BatchState,
  table: Table,
  rowIds: readonly number[],
  places: readonly number[],
): void {
  const [missing] = findMissing(doc, table, rowIds)
  if (missing === undefined) return
  const error = new AppError('invalid', 'INVALID_ROW_ID', `Invalid row id ${missing}`)
  throw at(error, `${path}.records[${places[rowIds.indexOf(missing)] ?? 0}].id`)
}

function findMissing(
  { connection }: DocumentWriter,
  { tableId }: Table,
  rowIds: readonly number[],
): number[] {
  return connection
    .pluck<number>(
      `SELECT value FROM json_each(?) WHERE value NOT IN (SELECT id FROM ${quoteId(tableId)})`,
    )
    .all(JSON.stringify(rowIds))
}

/** The same error, with the location of the fault in the request. */
export function at(error: AppError, path: string): AppError {
  const { code, reason, message, metadata } = error
  return new AppError(code, reason, `${path}: ${message}`, { ...metadata, path })
}
