import { quoteId } from '../../quoting/quote'
import { columnType } from '../../values/column-types'
import { ATTACHMENTS } from '../attachments/attachments'
import type { DocumentWriter } from '../document'
import {
  fromLog,
  logValue,
  type ColumnValues,
  type LogValue,
  type Operation,
  type RowOperation,
  type SchemaOperation,
} from '../log/log'
import { RedoError, requireTable } from '../redo/redo-error'
import { isConversion, redoStep } from '../redo/redo-entry'
import {
  columnMetadata,
  laterMetadata,
  wholeMetadata,
  type ColumnMetadata,
} from '../schema/column-metadata'
import type { Column, Table } from '../schema/schema'
import { isEmpty, readCells } from '../structure/column-cells'
import { rewriteCells } from '../structure/rewrite-cells'
import { describeViews, type DescribedTable } from '../structure/stored-tables'

/** Contents are only linked: those of removed attachments have been deleted with them. */
const noContents = () => undefined

/**
 * Undoes a step of the latest entry of a document that is not undone yet, exactly as it is stored: it applies the
 * opposite step, with the values before. Unlike an undo that users ask for, it restores what formulas had computed. Throws
 * RedoError when the document is in another state.
 * @param isRecorded true to record the operations, so that they can be undone in turn
 */
export function undoStep(
  doc: DocumentWriter,
  step: readonly Operation[],
  isRecorded: boolean,
): void {
  const opposites = step.flatMap((operation, index) =>
    'rowIds' in operation
      ? oppositeRows(operation)
      : oppositeOf(doc, operation, { isRecorded, next: step[index + 1] }),
  )
  redoStep(doc, opposites, noContents)
  const completing = step.flatMap((operation) => complete(doc, operation))
  if (isRecorded) for (const operation of [...opposites, ...completing]) doc.record(operation)
}

const oppositeKinds = {
  add_rows: 'remove_rows',
  update_rows: 'update_rows',
  remove_rows: 'add_rows',
  add_table: 'remove_table',
  update_table: 'update_table',
  remove_table: 'add_table',
  add_column: 'remove_column',
  update_column: 'update_column',
  remove_column: 'add_column',
} as const

function oppositeRows({ kind, table, tableRef, rowIds, columns }: RowOperation): RowOperation {
  const parts = { kind: oppositeKinds[kind], table, tableRef, rowIds }
  return { ...parts, columns: columns.map(oppositeValues) }
}

function oppositeValues({ old, new: after, oldType, type, ...column }: ColumnValues): ColumnValues {
  return {
    ...column,
    type: oldType ?? type,
    ...(oldType !== undefined && { oldType: type }),
    ...(after && { old: after }),
    ...(old && { new: old }),
  }
}

interface OppositeOptions {
  readonly isRecorded: boolean
  /** The operation that follows in the step. */
  readonly next: Operation | undefined
}

function oppositeOf(
  doc: DocumentWriter,
  operation: SchemaOperation,
  options: OppositeOptions,
): Operation[] {
  const { kind, old = {}, new: after, redo, cells: _, ...names } = operation
  const hints = redo?.together === undefined ? {} : { redo: { together: redo.together } }
  const opposite = { ...names, kind: oppositeKinds[kind], old: after, ...hints }
  switch (kind) {
    case 'update_table': {
      const { tableId, onDemand = false } = old as DescribedTable
      const { tableId: table = names.table } = after as Partial<DescribedTable>
      return [{ ...opposite, table, new: { tableId, onDemand } }]
    }
    case 'add_table':
      return [{ ...opposite, old: { ...after, ...describeViews(doc, { ref: names.tableRef }) } }]
    case 'add_column': {
      const { table, column } = findColumn(doc, operation)
      const cells = options.isRecorded ? readCells(doc, table, column.id) : undefined
      return [{ ...opposite, old: wholeMetadata(column), cells }]
    }
    case 'remove_column':
      return [{ ...opposite, new: { ...laterMetadata, ...old, colRef: names.columnRef } }]
    case 'update_column':
      return columnBack(doc, { ...opposite, new: old }, options)
    default:
      return [{ ...opposite, new: old }]
  }
}

/** A change of a column back. The cells of a column that becomes empty hold nothing but the default of its type. */
function columnBack(
  doc: DocumentWriter,
  back: SchemaOperation,
  { isRecorded, next }: OppositeOptions,
): Operation[] {
  const { table, column } = findColumn(doc, back)
  const named = { ...back, column: column.id }
  const before = { ...columnMetadata(column), ...(back.new as Partial<ColumnMetadata>) }
  if (!isEmpty(before) || isConversion(next)) return [named]
  const fill = logValue(columnType(before.type).defaultValue)
  if (!isRecorded) return [{ ...named, redo: { ...back.redo, fill } }]
  return [named, ...emptied(doc, { table, column, type: before.type, fill })]
}

/** The conversion of a column that becomes empty. */
function emptied(
  { connection }: DocumentWriter,
  of: { table: Table; column: Column; type: string; fill: LogValue },
): RowOperation[] {
  const { table, column, type, fill } = of
  const cell = quoteId(column.id)
  const cells = connection
    .raw<[number, LogValue]>(
      `SELECT id, ${cell} FROM ${quoteId(table.tableId)} WHERE ${cell} IS NOT ? ORDER BY id`,
    )
    .all(fill)
  if (cells.length === 0) return []
  const rowIds = cells.map(([id]) => id)
  const values = { old: cells.map(([, value]) => value), new: cells.map(() => fill) }
  const { id, ref, typeName: oldType } = column
  const columns = [{ id, ref, type, oldType, ...values }]
  return [{ kind: 'update_rows', table: table.tableId, tableRef: table.ref, rowIds, columns }]
}

/** The column of an operation as it is now. Throws RedoError. */
function findColumn(doc: DocumentWriter, operation: SchemaOperation) {
  const table = requireTable(doc, operation)
  const column = table.columns.find(({ ref }) => ref === operation.columnRef)
  if (!column) throw new RedoError(`there is no column with ref ${operation.columnRef}`)
  return { table, column }
}

/**
 * Restores what the opposite of an operation leaves out: the cells of a column, of which the log holds those that were not
 * null, and contents of attachments. Returns the cells that it changed, in the form of the log.
 */
function complete(doc: DocumentWriter, operation: Operation): RowOperation[] {
  if (operation.table === ATTACHMENTS && operation.kind === 'remove_rows')
    shareContents(doc, operation.rowIds)
  if (operation.kind !== 'remove_column') return []
  const { tableRef, columnRef: ref, cells } = operation
  const { tableId } = requireTable(doc, operation)
  const { colId: id, type } = operation.old as ColumnMetadata
  const held = new Map(cells?.rowIds.map((rowId, index) => [rowId, cells.values[index] ?? null]))
  const convert = (_: unknown, rowId: number) => fromLog(held.get(rowId) ?? null)
  const { rowIds, old, after } = rewriteCells(doc.connection, { tableId, colId: id, convert })
  if (rowIds.length === 0) return []
  const columns = [{ id, ref, type, old, new: after }]
  return [{ kind: 'update_rows', table: tableId, tableRef, rowIds, columns }]
}

/** Gives attachments that are there again the content of another one with the same bytes, if there is one. */
function shareContents({ connection }: DocumentWriter, rowIds: readonly number[]): void {
  connection
    .prepare(
      `INSERT OR IGNORE INTO _sheaf_attachments (id, file_id)
       SELECT gone.id, min(l.file_id) FROM _grist_Attachments gone
         JOIN _grist_Attachments other ON other.fileIdent = gone.fileIdent
         JOIN _sheaf_attachments l ON l.id = other.id
       WHERE gone.id IN (SELECT value FROM json_each(?)) GROUP BY gone.id`,
    )
    .run(JSON.stringify(rowIds))
}
