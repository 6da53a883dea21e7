import type { StoredValue } from '../../values/column-type'
import { columnType } from '../../values/column-types'
import { storesAlike } from '../../values/convert-value'
import { quoteId } from '../../quoting/quote'
import {
  createConversion,
  isComputed,
  isEmpty,
  type CellForm,
  type Conversion,
} from '../structure/column-cells'
import { applyRevisions, cellForm, type Revision } from '../structure/column-changes'
import { columnMetadata, type ColumnMetadata } from '../schema/column-metadata'
import { fromLog, type LogValue, type SchemaOperation } from '../log/log'
import { targetOf } from '../schema/reference-targets'
import type { Column, Table } from '../schema/schema'
import type { RevertContext } from './revert-context'

/** Cells converted by a change of their column: values before and after, by row. */
export type ConvertedCells = ReadonlyMap<number, { readonly old: LogValue; readonly new: LogValue }>

/** Changes of columns of one table, and the converted cells, by column ref. */
export interface ColumnUndo {
  readonly changes: ReadonlyMap<number, SchemaOperation>
  readonly cells: ReadonlyMap<number, ConvertedCells>
}

/** Restores the metadata of columns of one table, and the values of their cells. */
export function undoUpdatedColumns(context: RevertContext, { changes, cells }: ColumnUndo): void {
  const { conflicts } = context
  const [first] = changes.values()
  if (!first) return
  const table = context.requireTable(first)
  const revisions = [...changes.values()].flatMap((operation) => {
    const column = context.findColumn(table, operation)
    return column ? reviseBack(context, column, operation) : []
  })
  requireFreeIds(context, table, revisions)
  conflicts.requireNone()
  const restored = revisions.map((revision): Revision => {
    const converted = cells.get(revision.ref) ?? new Map()
    checkCells(context, table, revision, converted)
    return { ...revision, convert: conversionBack(context, table, revision, converted) }
  })
  conflicts.requireNone()
  // Formulas that followed the change are restored with it; only later ones must follow now.
  applyRevisions(context.doc, table, restored, !context.isLatest)
  // Current values are read while the cells are rewritten.
  conflicts.requireNone()
  for (const { after } of revisions) context.columnRestored(table, after)
}

/** The metadata of a column before a change; records a conflict when it has been changed again. */
function reviseBack(context: RevertContext, column: Column, operation: SchemaOperation): Revision {
  const { targets, table: tableId } = operation
  const before = columnMetadata(column)
  const after = operation.new as Partial<ColumnMetadata>
  const earlier = operation.old as Partial<ColumnMetadata>
  const type = context.typeOf(earlier.type ?? before.type, targets) ?? before.type
  const isSame = (Object.keys(after) as (keyof ColumnMetadata)[]).every((key) => {
    if (key !== 'type') return after[key] === before[key]
    // A column has followed the restored name of the table that it refers to.
    const hasFollowed = context.renamed.has(targetOf(type) ?? '') && before.type === type
    return hasFollowed || context.isSameType(after.type ?? '', before.type, targets)
  })
  if (!isSame) context.conflicts.addColumn(tableId, column.id)
  return { ref: column.ref, before, after: { ...before, ...earlier, type } }
}

function requireFreeIds(
  { conflicts }: RevertContext,
  table: Table,
  revisions: readonly Revision[],
): void {
  const back = new Map(revisions.map(({ ref, after }) => [ref, after.colId]))
  const held = new Set<string>()
  for (const { ref, id } of table.columns) if (!back.has(ref)) held.add(id.toLowerCase())
  for (const colId of back.values()) {
    if (held.has(colId.toLowerCase())) conflicts.addColumn(table.tableId, colId)
    held.add(colId.toLowerCase())
  }
}

/** Records the rows whose cells have changed since the change. */
function checkCells(
  { doc, conflicts }: RevertContext,
  table: Table,
  { before: { colId } }: Revision,
  converted: ConvertedCells,
): void {
  if (converted.size === 0) return
  const rows = doc.connection
    .raw<[number, LogValue]>(
      `SELECT id, ${quoteId(colId)} FROM ${quoteId(table.tableId)}
       WHERE id IN (SELECT value FROM json_each(?))`,
    )
    .all(JSON.stringify([...converted.keys()]))
  const now = new Map(rows)
  const changed = [...converted].filter(([id, cell]) => now.get(id) !== cell.new)
  conflicts.addRows(
    table.tableId,
    changed.map(([id]) => id),
  )
}

/** How to restore the cells of a column; null when they are unchanged. */
function conversionBack(
  context: RevertContext,
  table: Table,
  { ref, before, after }: Revision,
  converted: ConvertedCells,
): Conversion | null {
  const [now, earlier] = [cellForm(before), cellForm(after)]
  const others = isSameForm(now, earlier)
    ? undefined
    : convertOthers(context, { table, ref }, now, earlier)
  if (!others && converted.size === 0) return null
  return (value, id) => {
    const cell = converted.get(id)
    return cell ? fromLog(cell.old) : others ? others(value, id) : value
  }
}

function isSameForm(a: CellForm, b: CellForm): boolean {
  return (
    isComputed(a) === isComputed(b) &&
    isEmpty(a) === isEmpty(b) &&
    storesAlike(columnType(a.typeName), columnType(b.typeName))
  )
}

/** How to restore the cells that the change did not convert: they were already valid, or were added later. */
function convertOthers(
  context: RevertContext,
  { table, ref }: { readonly table: Table; readonly ref: number },
  now: CellForm,
  earlier: CellForm,
): Conversion | undefined {
  const [type, earlierType] = [columnType(now.typeName), columnType(earlier.typeName)]
  if (earlier.isFormula) {
    // The values of such a column follow from its formula, or are all the same, so later ones are dropped.
    const blank = isComputed(earlier) ? null : earlierType.defaultValue
    const isBlank = (value: StoredValue) => value === null || isEqual(value, type.defaultValue)
    // Results that the change has kept are not in the log; what was written later is.
    const later =
      isComputed(earlier) && !now.isFormula
        ? context.findLaterCells({
            ...{ tableRef: table.ref, columnRef: ref },
            isBlank: (value) => isBlank(fromLog(value)),
          })
        : undefined
    const isKept = (value: StoredValue, id: number) => {
      if (!later?.has(id)) return now.isFormula || later !== undefined
      const kept = later.get(id)
      return kept !== undefined && isEqual(value, fromLog(kept))
    }
    return (value, id) => {
      if (!isBlank(value) && !isKept(value, id)) context.conflicts.addRows(table.tableId, [id])
      return blank
    }
  }
  if (context.isLatest) return undefined
  const forth = createConversion(context.doc, earlier, now)
  const back = createConversion(context.doc, now, earlier)
  const column = { settings: context.doc.schema.settings, widgetOptions: {} }
  const fits = (value: StoredValue): boolean => {
    try {
      const cell = earlierType.fromStored(value)
      return isEqual(earlierType.toStored(cell, column, { noParse: true }), value)
    } catch {
      return false
    }
  }
  return (value, id) => {
    const stayed = fits(value) && isEqual(forth ? forth(value, id) : value, value)
    return stayed || !back ? value : back(value, id)
  }
}

/** Compares values; an integer may be a number or a bigint. */
function isEqual(a: StoredValue, b: StoredValue): boolean {
  return (typeof a === 'bigint' ? Number(a) : a) === (typeof b === 'bigint' ? Number(b) : b)
}
