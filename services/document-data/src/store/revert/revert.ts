import { AppError } from '@sheaf/kit/errors'
import { ATTACHMENTS } from '../attachments/attachments'
import type { DocumentWriter } from '../document'
import {
  findEntry,
  readOldestSeq,
  type Operation,
  type RowOperation,
  type SchemaOperation,
} from '../log/log'
import type { ColumnMetadata } from '../schema/column-metadata'
import { VIEWS } from '../schema/metadata-tables'
import { undoAttachments } from './revert-attachments'
import { undoAddedColumns, undoRemovedColumns } from './revert-columns'
import { undoUpdatedColumns, type ConvertedCells } from './revert-metadata'
import { undoAddedRows, undoRemovedRows, undoUpdatedRows } from './revert-rows'
import { noteColumns, undoAddedTable, undoRemovedTable, undoUpdatedTable } from './revert-tables'
import { undoViews } from './revert-views'
import { RevertContext } from './revert-context'

/**
 * Maximum size of the operations of a change that can be undone, as bytes of the log. Like every write,
 * undoing runs synchronously on the event loop and takes about as long as the change did, so the limit is
 * that of one request.
 */
const MAX_BYTES = 32 * 1024 * 1024

/**
 * Undoes one entry of the log, exactly or not at all. Throws `not_found` for an entry that is not in the log,
 * `invalid` for one that cannot be undone, `too_large`, and `conflict` naming later changes.
 */
export function revertChange(doc: DocumentWriter, seq: number): void {
  const operations = readOperations(doc, seq)
  const context = new RevertContext(doc, seq, operations)
  for (const step of stepsBack(operations)) undo(context, step)
  context.finish()
  forgetDue(doc, seq)
}

/** Trigger formulas that the change has run, and that are not computed yet, have nothing to do any more. */
function forgetDue(doc: DocumentWriter, seq: number): void {
  const { changes } = doc.connection.prepare('DELETE FROM _sheaf_due_cells WHERE seq = ?').run(seq)
  if (changes > 0) doc.schemaChanged()
}

function readOperations(doc: DocumentWriter, seq: number): Operation[] {
  const { connection, seq: latest } = doc
  if (seq === 1)
    throw new AppError(
      'invalid',
      'NOT_REVERTIBLE',
      'change 1 created the document and cannot be undone',
    )
  const entry = seq <= latest ? findEntry(connection, seq, MAX_BYTES) : undefined
  if (!entry) {
    const isCut = seq > 0 && seq < readOldestSeq(connection)
    throw new AppError(
      'not_found',
      'CHANGE_NOT_FOUND',
      isCut ? `change ${seq} is no longer stored` : `change not found: ${seq}`,
    )
  }
  if (!entry.operations)
    throw new AppError('too_large', 'CHANGE_TOO_LARGE', `change ${seq} is too large to be undone`)
  return entry.operations.filter((operation) =>
    'rowIds' in operation
      ? // Formulas compute their cells again.
        !operation.derived
      : !operation.follows || seq === latest || isAsLeft(doc, operation),
  )
}

/**
 * True when a formula that followed a rename is still as the rename left it. Otherwise undoing the rename changes what it
 * is now.
 */
function isAsLeft({ schema }: DocumentWriter, operation: SchemaOperation): boolean {
  const { columns = [] } = schema.findByRef(operation.tableRef) ?? {}
  const column = columns.find(({ ref }) => ref === operation.columnRef)
  return column?.formula === (operation.new as Partial<ColumnMetadata>).formula
}

/** Changes of columns of one table, with the cells that they converted. */
interface ColumnsStep {
  readonly kind: 'update_column'
  readonly tableRef: number
  readonly changes: Map<number, SchemaOperation>
  readonly cells: Map<number, ConvertedCells>
}

/** Columns of one table that were added or removed together. */
interface SchemaStep {
  readonly kind: Exclude<SchemaOperation['kind'], 'update_column'>
  readonly tableRef: number
  readonly operations: SchemaOperation[]
}

type Step = ColumnsStep | SchemaStep | RowOperation

/**
 * The steps that undo the operations, in order; operations that change the same table in the same way are one
 * step.
 */
function stepsBack(operations: readonly Operation[]): Step[] {
  const steps: Step[] = []
  operations.toReversed().forEach((operation, index, reversed) => {
    const converted = conversionOf(operation)
    const changed = converted ? reversed[index + 1] : operation
    if (changed && 'columnRef' in changed && changed.kind === 'update_column') {
      const step = columnsStep(steps, changed)
      if (converted) step.cells.set(...cellsOf(converted))
      else step.changes.set(changed.columnRef, changed)
    } else if ('rowIds' in operation) steps.push(operation)
    else if (operation.kind !== 'update_column') addSchemaStep(steps, operation, operation.kind)
  })
  return steps
}

function addSchemaStep(steps: Step[], operation: SchemaOperation, kind: SchemaStep['kind']): void {
  const last = steps.at(-1)
  const isMore =
    last?.kind === kind &&
    (kind === 'add_column' || kind === 'remove_column') &&
    last.tableRef === operation.tableRef
  if (isMore && 'operations' in last) last.operations.push(operation)
  else steps.push({ kind, tableRef: operation.tableRef, operations: [operation] })
}

/**
 * The step that a change of a column belongs to: the last one, unless that step already changes the same
 * column, or gives another column the id that this one had.
 */
function columnsStep(steps: Step[], { tableRef, columnRef, column }: SchemaOperation): ColumnsStep {
  const last = steps.at(-1)
  if (last?.kind === 'update_column' && last.tableRef === tableRef) {
    const lower = column.toLowerCase()
    const isOpen = [...last.changes].every(
      ([ref, change]) => ref !== columnRef && change.column.toLowerCase() !== lower,
    )
    if (isOpen) return last
  }
  const step: ColumnsStep = {
    kind: 'update_column',
    tableRef,
    changes: new Map(),
    cells: new Map(),
  }
  steps.push(step)
  return step
}

/** The cells that a change of a column converted; they follow it immediately. */
function conversionOf(operation: Operation) {
  if (operation.kind !== 'update_rows') return undefined
  const [column] = operation.columns
  return column?.oldType === undefined ? undefined : { ...column, rowIds: operation.rowIds }
}

function cellsOf(
  converted: NonNullable<ReturnType<typeof conversionOf>>,
): [number, ConvertedCells] {
  const { ref, rowIds, old = [], new: after = [] } = converted
  const cells = rowIds.map(
    (id, index) => [id, { old: old[index] ?? null, new: after[index] ?? null }] as const,
  )
  return [ref, new Map(cells)]
}

function undo(context: RevertContext, step: Step): void {
  if ('rowIds' in step) undoRows(context, step)
  else if (step.kind === 'update_column') undoUpdatedColumns(context, step)
  else if (step.kind === 'add_column') undoAddedColumns(context, step.operations)
  else if (step.kind === 'remove_column') undoRemovedColumns(context, step.operations)
  else for (const operation of step.operations) undoTable(context, operation)
}

function undoRows(context: RevertContext, operation: RowOperation): void {
  if (operation.table === ATTACHMENTS) undoAttachments(context, operation)
  else if (operation.table === VIEWS) undoViews(context, operation)
  else if (operation.kind === 'add_rows') undoAddedRows(context, operation)
  else if (operation.kind === 'remove_rows') undoRemovedRows(context, operation)
  else undoUpdatedRows(context, operation)
}

function undoTable(context: RevertContext, operation: SchemaOperation): void {
  if (operation.kind === 'add_table') undoAddedTable(context, operation)
  else if (operation.kind === 'update_table') undoUpdatedTable(context, operation)
  else {
    undoRemovedTable(context, operation)
    noteColumns(context, context.doc.schema.findByRef(operation.tableRef))
  }
}
