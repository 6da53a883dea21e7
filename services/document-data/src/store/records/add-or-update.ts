import { AppError } from '@sheaf/kit/errors'
import type { Cell } from '../../values/column-type'
import type { DocumentWriter } from '../document'
import type { Table } from '../schema/schema'
import { invalidColumn } from '../schema/unknown-names'
import type { CellColumns, WriteOptions } from './conversion'
import { requireExpected } from './expected-cells'
import { findRows } from './find-rows'
import { addRecords, updateRecords } from './records'

/**
 * Highest row id that a client may choose: beyond it, ids of later rows could exceed the safe integers of
 * some clients.
 */
const MAX_ROW_ID = 2 ** 31 - 1

/** Records with the same columns. */
export interface AddOrUpdateStep {
  /** Indexes of the records in the request. */
  readonly places: readonly number[]
  /** Required values, by column id, one cell for each record. */
  readonly require: CellColumns
  /** Values to write, likewise. */
  readonly fields: CellColumns
  /** Expected cells of the rows found, likewise; absent when no record has any. */
  readonly expected?: readonly (ReadonlyMap<string, Cell> | undefined)[]
}

/** What to do with the rows found. */
export interface AddOrUpdateOptions extends WriteOptions {
  /** Which of several matching rows are changed. */
  readonly onMany: 'first' | 'none' | 'all'
  readonly noAdd: boolean
  readonly noUpdate: boolean
  /** True to permit a requirement that every row meets. */
  readonly allowEmptyRequire: boolean
}

/** The rows that were added or changed. */
export interface AddedOrUpdated {
  /** For each record of the request; empty when it had no effect. */
  readonly records: (readonly number[])[]
  /** New rows in the order in which they were added. */
  readonly added: number[]
  /** Changed rows, a list for each record that has some, in the order in which they were changed. */
  readonly updated: (readonly number[])[]
}

/**
 * Changes the rows that have the required values, or adds them, one step after the other; within a step all
 * look-ups precede all changes. A new row gets the required values, except in formula columns, and the values
 * to write, which take precedence. Throws `not_found` for the table, `invalid` for a column or value at
 * fault, an empty requirement that is not allowed, and two records of a step with the same requirement;
 * `precondition` when a row does not hold what a record expects.
 */
export function addOrUpdateRecords(
  doc: DocumentWriter,
  tableId: string,
  request: { readonly count: number; readonly groups: readonly AddOrUpdateStep[] },
  options: AddOrUpdateOptions,
): AddedOrUpdated {
  const result: AddedOrUpdated = {
    records: new Array<readonly number[]>(request.count).fill([]),
    added: [],
    updated: [],
  }
  for (const step of request.groups) runStep(doc, tableId, step, { ...options, result })
  return result
}

function runStep(
  doc: DocumentWriter,
  tableId: string,
  step: AddOrUpdateStep,
  options: AddOrUpdateOptions & { readonly result: AddedOrUpdated },
): void {
  const { onMany, result } = options
  const table = doc.schema.getWritable(tableId)
  requireWritable(table, step.fields)
  if (step.require.size === 0 && !options.allowEmptyRequire)
    throw new AppError(
      'invalid',
      'REQUIRE_EMPTY',
      "require is empty but allow_empty_require isn't set",
    )
  const count = step.places.length
  const most = { first: 1, none: 2, all: Infinity }[onMany]
  const found = findRows(
    doc,
    table,
    { require: step.require, count, most },
    { ...options, places: step.places },
  )
  requireAllExpected(doc, tableId, { ...step, found }, onMany)
  const missing: number[] = []
  const met: number[] = []
  found.forEach((ids, at) => {
    if (ids.length === 0) missing.push(at)
    else if (ids.length === 1 || onMany !== 'none') met.push(at)
  })
  if (!options.noAdd && missing.length > 0) {
    const ids = add(doc, table, { step, missing }, options)
    missing.forEach((at, index) => {
      const id = ids[index] ?? 0
      result.records[step.places[at] ?? 0] = [id]
      result.added.push(id)
    })
  }
  if (options.noUpdate) return
  update(doc, table, { step, met, found }, options)
  for (const at of met) {
    const ids = found[at] ?? []
    result.records[step.places[at] ?? 0] = ids
    result.updated.push(ids)
  }
}

/**
 * Throws `precondition` when one of the rows found does not hold what its record expects, or none was found.
 */
function requireAllExpected(
  doc: DocumentWriter,
  tableId: string,
  {
    expected = [],
    found,
  }: Pick<AddOrUpdateStep, 'expected'> & { readonly found: readonly (readonly number[])[] },
  onMany: AddOrUpdateOptions['onMany'],
): void {
  const rows = expected.flatMap((cells, at) => {
    const ids = found[at] ?? []
    // When several matches are left unchanged, not all of them were read.
    if (!cells || (onMany === 'none' && ids.length > 1)) return []
    return (ids.length > 0 ? ids : [undefined]).map((rowId) => ({ rowId, cells }))
  })
  if (rows.length > 0) requireExpected(doc, tableId, rows)
}

/** Rejects values that could not be written before any look-up, whether or not they would be written. */
function requireWritable(table: Table, fields: CellColumns): void {
  for (const colId of fields.keys()) {
    const column = table.byId.get(colId)
    if (!column) throw invalidColumn(colId, table)
    if (isComputed(table, colId))
      throw new AppError(
        'invalid',
        'FORMULA_COLUMN',
        `Can't save value to formula column "${colId}"`,
      )
  }
}

function isComputed(table: Table, colId: string): boolean {
  const column = table.byId.get(colId)
  return column !== undefined && column.isFormula && column.formula !== ''
}

/** Adds the rows that were not found; their ids in the order of `missing`. */
function add(
  doc: DocumentWriter,
  table: Table,
  { step, missing }: { step: AddOrUpdateStep; missing: readonly number[] },
  options: WriteOptions,
): readonly number[] {
  const cells = new Map<string, Cell[]>()
  const required = step.require.get('id')
  const order = required
    ? [...missing].sort((a, b) => requireNewRowId(required[a]) - requireNewRowId(required[b]))
    : missing
  for (const given of [step.require, step.fields])
    for (const [colId, values] of given)
      if (colId !== 'id' && !isComputed(table, colId))
        cells.set(
          colId,
          order.map((at) => values[at] ?? null),
        )
  const ids = required && order.map((at) => requireNewRowId(required[at]))
  const places = order.map((at) => step.places[at] ?? 0)
  const rows = { count: order.length, cells, ids }
  const added = addRecords(doc, table.tableId, rows, { ...options, places })
  if (!required) return added
  const byPlace = new Map(order.map((at, index) => [at, added[index] ?? 0]))
  return missing.map((at) => byPlace.get(at) ?? 0)
}

/** An id that a client has chosen for a new row. Throws AppError `invalid` when no row can have it. */
export function requireNewRowId(cell: Cell | undefined): number {
  const id = Number(cell)
  if (id < 1 || id > MAX_ROW_ID)
    throw new AppError(
      'invalid',
      'INVALID_ROW_ID',
      `Invalid row id ${id}: not allowed for a new row`,
    )
  return id
}

function update(
  doc: DocumentWriter,
  table: Table,
  rows: {
    readonly step: AddOrUpdateStep
    readonly met: readonly number[]
    readonly found: readonly (readonly number[])[]
  },
  options: WriteOptions,
): void {
  const { step, met, found } = rows
  if (met.length === 0 || step.fields.size === 0) return
  const rowIds = met.flatMap((at) => found[at] ?? [])
  const cells = new Map(
    [...step.fields].map(([colId, values]) => [
      colId,
      met.flatMap((at) => new Array<Cell>(found[at]?.length ?? 0).fill(values[at] ?? null)),
    ]),
  )
  const places = met.flatMap((at) => (found[at] ?? []).map(() => step.places[at] ?? 0))
  updateRecords(doc, table.tableId, { rowIds, cells }, { ...options, places })
}
