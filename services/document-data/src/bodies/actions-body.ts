import { AppError } from '@sheaf/kit/errors'
import { findNearMiss } from '@sheaf/kit/near-miss'
import { shorten } from '@sheaf/kit/truncate-text'
import type { Cell } from '../values/column-type'
import { readJson } from '../json/read-json'
import { findMetadataColumns } from '../store/schema/metadata-tables'
import type { StructureAction } from '../store/structure/structure-actions'
import { faultOfCell } from './cell'
import { invalidPayload, isObject } from './record-columns'
import { structureActions } from './structure-action'

/**
 * Bounds the work of one request: an action may scan whole tables, and all actions of a request run in one
 * transaction.
 */
const MAX_ACTIONS = 1000
/** The same for actions on tables and columns: after each of them the whole schema is read anew. */
const MAX_STRUCTURE_ACTIONS = 100

/** A change of rows. Row ids and cells are lists, even for a single row. */
export interface RowAction {
  readonly kind: 'add' | 'update' | 'remove'
  readonly tableId: string
  /**
   * Whole numbers. For added rows, null requests the next free id, and a negative number is a placeholder for
   * later actions.
   */
  readonly rowIds: readonly (number | null)[]
  /** Cells by column id, one per row; empty for removals. */
  readonly cells: ReadonlyMap<string, readonly Cell[]>
  /** True for the bulk form of an action, even if it names a single row. */
  readonly isBulk: boolean
}

/** A change of rows, of a table or of a column, or nothing. */
export type Action = RowAction | StructureAction | { readonly kind: 'none' }

const kinds = new Map<string, Pick<RowAction, 'kind' | 'isBulk'>>([
  ['AddRecord', { kind: 'add', isBulk: false }],
  ['BulkAddRecord', { kind: 'add', isBulk: true }],
  ['UpdateRecord', { kind: 'update', isBulk: false }],
  ['BulkUpdateRecord', { kind: 'update', isBulk: true }],
  ['RemoveRecord', { kind: 'remove', isBulk: false }],
  ['BulkRemoveRecord', { kind: 'remove', isBulk: true }],
])

/**
 * Reads `[[name, table id, …],…]`: rows as `row id or ids, cells`, tables and columns as the actions of
 * `structureActions`. Throws AppError `invalid`: MALFORMED_JSON; INVALID_PAYLOAD, INVALID_COLUMN or
 * INVALID_VALUE with the location of the fault; UNKNOWN_ACTION for an unsupported action; TOO_MANY_ACTIONS.
 */
export function readActions(json: Uint8Array): Action[] {
  const body = readJson(json, 'body')
  if (!Array.isArray(body)) throw invalidPayload('body is not an array')
  if (body.length > MAX_ACTIONS)
    throw new AppError(
      'invalid',
      'TOO_MANY_ACTIONS',
      `a request must not have more than ${MAX_ACTIONS} actions; Bulk… actions take many rows`,
    )
  const actions = body.map((action, place) => readAction(action, `body[${place}]`))
  if (actions.filter(changesStructure).length > MAX_STRUCTURE_ACTIONS)
    throw new AppError(
      'invalid',
      'TOO_MANY_ACTIONS',
      `a request must not have more than ${MAX_STRUCTURE_ACTIONS} actions on tables and columns`,
    )
  return actions
}

function changesStructure(action: Action): boolean {
  switch (action.kind) {
    case 'none':
      return false
    case 'add':
    case 'update':
    case 'remove':
      return findMetadataColumns(action.tableId) !== undefined
    default:
      return true
  }
}

function readAction(action: unknown, path: string): Action {
  if (!Array.isArray(action)) throw invalidPayload(`${path} is not an array`)
  const [name] = action as unknown[]
  if (typeof name !== 'string') throw invalidPayload(`${path}[0] is not a string`)
  const known = kinds.get(name)
  if (known) return readRowAction(action, known, path)
  const read = structureActions.get(name)
  if (read) return read(action, path)
  // Asks for cells that are yet to be computed; no write leaves any.
  if (name === 'Calculate') return { kind: 'none' }
  const { hint, details } = findNearMiss(name, [...kinds.keys(), ...structureActions.keys()])
  const message = `${path}: unknown action "${shorten(name)}"${hint}`
  throw new AppError('invalid', 'UNKNOWN_ACTION', message, details)
}

function readRowAction(action: readonly unknown[], known: Kind, path: string): RowAction {
  const [, tableId, rows, given] = action
  if (typeof tableId !== 'string') throw invalidPayload(`${path}[1] is not a string`)
  const rowIds = readIds(rows, known, `${path}[2]`)
  if (known.kind === 'remove') return { ...known, tableId, rowIds, cells: new Map() }
  return { ...known, tableId, rowIds, cells: readCells(given, rowIds.length, known, `${path}[3]`) }
}

type Kind = Pick<RowAction, 'kind' | 'isBulk'>

function readIds(rows: unknown, { kind, isBulk }: Kind, path: string): (number | null)[] {
  if (isBulk && !Array.isArray(rows)) throw invalidPayload(`${path} is not an array`)
  const ids = isBulk ? (rows as unknown[]) : [rows]
  ids.forEach((id, row) => {
    const isFree = kind === 'add' && (id === null || id === undefined)
    if (!isFree && !Number.isSafeInteger(id))
      throw invalidPayload(`${path}${isBulk ? `[${row}]` : ''} is not a row id`)
  })
  return ids.map((id) => (id as number | null | undefined) ?? null)
}

function readCells(
  given: unknown = {},
  rows: number,
  { isBulk }: Kind,
  path: string,
): Map<string, Cell[]> {
  if (!isObject(given)) throw invalidPayload(`${path} is not an object`)
  const cells = new Map<string, Cell[]>()
  for (const [name, value] of Object.entries(given)) {
    if (isBulk && !Array.isArray(value))
      throw invalidPayload(`${path}.${shorten(name)} is not an array`)
    const list = isBulk ? (value as unknown[]) : [value]
    if (list.length !== rows)
      throw invalidPayload(`${path}.${shorten(name)} has ${list.length} items for ${rows} rows`)
    list.forEach((cell, row) => {
      const fault = faultOfCell(cell, `${path}.${shorten(name)}${isBulk ? `[${row}]` : ''}`)
      if (fault !== undefined) throw invalidPayload(fault)
    })
    cells.set(name, list as Cell[])
  }
  return cells
}
