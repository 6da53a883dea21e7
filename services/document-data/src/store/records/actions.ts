import { AppError } from '@sheaf/kit/errors'
import { quoteId } from '../../quoting/quote'
import type { Cell } from '../../values/column-type'
import type { DocumentWriter } from '../document'
import type { Table } from '../schema/schema'
import {
  applyStructureAction,
  type StructureAction,
  type StructureResult,
} from '../structure/structure-actions'
import { requireFewColumns } from '../structure/tables'
import { requireNewRowId } from './add-or-update'
import type { CellColumns, WriteOptions } from './conversion'
import { isMetadataTable, refuseMetadataRows } from './metadata-rows'
import { addRecords, deleteRecords, updateRecords } from './records'

/** A change of rows of one table, with rows and cells as lists. */
export interface RowChange {
  readonly kind: 'add' | 'update' | 'remove'
  readonly tableId: string
  /**
   * Ids of added rows: null for any free one; a negative one is a placeholder for the row in later changes.
   */
  readonly rowIds: readonly (number | null)[]
  readonly cells: CellColumns
}

/** One step of a write: a change of rows, of a table or of a column, or nothing. */
export type Action = RowChange | StructureAction | { readonly kind: 'none' }

/** What an action has added: rows, a table or a column. Also the table or column that it has changed. */
export interface ActionResult extends StructureResult {
  /** Ids of added rows, in the order of the action. */
  readonly rowIds?: readonly number[]
}

/** Rows by their negative placeholder ids, by table ref. */
type NamedRows = Map<number, Map<number, number>>

/**
 * Applies actions in order, each to the document as the one before has left it. Throws `not_found` for a
 * table or a column, `invalid` for a column, row or value at fault, `too_large` for too many replaced values.
 */
export function applyActions(
  doc: DocumentWriter,
  actions: readonly Action[],
  options: WriteOptions,
): ActionResult[] {
  requireFewColumns(actions.flatMap((action) => (action.kind === 'add_table' ? action.table : [])))
  const named: NamedRows = new Map()
  return actions.map((action) => {
    switch (action.kind) {
      case 'none':
        return {}
      case 'add':
      case 'update':
      case 'remove':
        return changeRows(doc, action, { ...options, named })
      default:
        return applyStructureAction(doc, action)
    }
  })
}

type NamingOptions = WriteOptions & { readonly named: NamedRows }

function changeRows(doc: DocumentWriter, change: RowChange, options: NamingOptions): ActionResult {
  if (isMetadataTable(change.tableId)) return changeMetadataRows(doc, change, options)
  const table = doc.schema.getWritable(change.tableId)
  const { named } = options
  const cells = resolveCells(doc, table, change.cells, named)
  if (change.kind === 'add') return { rowIds: add(doc, table, { ...change, cells }, options) }
  const rowIds = change.rowIds.map((id) => resolveRow(table, id ?? 0, named))
  if (change.kind === 'remove') deleteRecords(doc, table.tableId, rowIds)
  else updateRecords(doc, table.tableId, { rowIds, cells }, options)
  return {}
}

function changeMetadataRows(
  doc: DocumentWriter,
  { kind, tableId, rowIds: wanted, cells }: RowChange,
  options: WriteOptions,
): ActionResult {
  const rowIds = wanted.map((id) => id ?? 0)
  if (kind === 'add') refuseMetadataRows(tableId)
  else if (kind === 'remove') deleteRecords(doc, tableId, rowIds)
  else updateRecords(doc, tableId, { rowIds, cells }, options)
  return {}
}

function add(
  doc: DocumentWriter,
  table: Table,
  { rowIds, cells }: RowChange,
  { named, ...options }: NamingOptions,
): readonly number[] {
  const chosen = rowIds.some((id) => id !== null && id >= 0)
  const ids = chosen ? chooseIds(doc, table, rowIds) : undefined
  const order = rowIds.map((_, index) => index)
  // Rows are stored in the order of their ids.
  if (ids) order.sort((a, b) => (ids[a] ?? 0) - (ids[b] ?? 0))
  const added = addRecords(
    doc,
    table.tableId,
    {
      count: rowIds.length,
      cells: ids
        ? new Map([...cells].map(([id, list]) => [id, order.map((index) => list[index])]))
        : cells,
      ids: ids && order.map((index) => ids[index] ?? 0),
    },
    ids ? { ...options, places: order } : options,
  )
  const result = new Array<number>(rowIds.length).fill(0)
  order.forEach((index, place) => (result[index] = added[place] ?? 0))
  const names = named.get(table.ref) ?? new Map<number, number>()
  named.set(table.ref, names)
  rowIds.forEach((id, index) => {
    if (id !== null && id < 0) names.set(id, result[index] ?? 0)
  })
  return result
}

/** Ids for new rows, some of them chosen by the client: the others follow the highest of all. */
function chooseIds(
  doc: DocumentWriter,
  table: Table,
  rowIds: readonly (number | null)[],
): number[] {
  const chosen = rowIds.filter((id) => id !== null && id >= 0).map(requireNewRowId)
  const taken = doc.connection
    .pluck<number>(
      `SELECT id FROM ${quoteId(table.tableId)} WHERE id IN (SELECT value FROM json_each(?)) LIMIT 1`,
    )
    .get(JSON.stringify(chosen))
  const seen = new Set<number>()
  const used = taken ?? chosen.find((id) => seen.size === seen.add(id).size)
  if (used !== undefined)
    throw new AppError(
      'invalid',
      'INVALID_ROW_ID',
      `Invalid row id ${used}: the row already exists`,
    )
  const highest = doc.connection
    .pluck<number | null>(`SELECT max(id) FROM ${quoteId(table.tableId)}`)
    .get()
  let next = chosen.reduce((a, b) => Math.max(a, b), highest ?? 0) + 1
  return rowIds.map((id) => (id !== null && id >= 0 ? id : next++))
}

function resolveRow(table: Table, id: number, named: NamedRows): number {
  return id < 0 ? (named.get(table.ref)?.get(id) ?? id) : id
}

/** Replaces negative placeholder ids by row ids, in columns that refer to rows. */
function resolveCells(
  doc: DocumentWriter,
  table: Table,
  cells: CellColumns,
  named: NamedRows,
): CellColumns {
  if (named.size === 0) return cells
  const resolved = new Map<string, readonly (Cell | undefined)[]>()
  for (const [colId, list] of cells) {
    const type = table.byId.get(colId)?.type
    const target =
      type?.argument !== undefined && (type.name === 'Ref' || type.name === 'RefList')
        ? doc.schema.find(type.argument)
        : undefined
    const resolve = (value: unknown): unknown =>
      target && typeof value === 'number' ? resolveRow(target, value, named) : value
    const isList = (cell: Cell | undefined) => Array.isArray(cell) && cell[0] === 'L'
    resolved.set(
      colId,
      target
        ? list.map((cell) =>
            isList(cell) ? (cell as unknown[]).map(resolve) : (resolve(cell) as Cell),
          )
        : list,
    )
  }
  return resolved
}
