import { AppError } from '@sheaf/kit/errors'
import { ATTACHMENTS } from '../attachments/attachments'
import type { DocumentWriter } from '../document'
import { findEntry, type Operation } from '../log/log'
import { listSizedEntries, type SizedEntry } from '../log/sized-entries'
import { RedoError } from '../redo/redo-error'
import { stepsOf } from '../redo/redo-entry'
import { VIEWS_REF } from '../schema/metadata-tables'
import { NextGroup } from '../sqlite/write-group'
import type { DescribedTable } from '../structure/stored-tables'
import { undoStep } from './undo-step'

/** Changes that one write may undo, and bytes of their operations: undoing takes about as long as they did. */
const MAX_CHANGES = 10_000
const MAX_BYTES = 32 * 1024 * 1024
/** Changes that are searched for those of one table. */
const MAX_SEARCHED = 100_000
/** Attachments are in no table of the document. */
const ATTACHMENTS_REF = 0

/** A moment to go back to. */
export interface MomentToRestore {
  /** The last entry that is not undone. */
  readonly seq: number
  /** Only the rows and columns of the table with this ref. */
  readonly tableRef?: number | undefined
}

/**
 * Undoes all entries after a moment, latest first, as one change; or their operations on one table. Attachments stay as they
 * are, and formulas compute their cells again. Throws `invalid` for attachments, `too_large` when there is too much to undo
 * in one write, and `conflict` when another table has taken the former name of the one that is restored.
 */
export function restoreMoment(
  doc: DocumentWriter,
  { seq: moment, tableRef }: MomentToRestore,
): void {
  // Earlier writes of the same group are not in the log yet.
  if (doc.isBehind) throw new NextGroup()
  if (tableRef === ATTACHMENTS_REF)
    throw new AppError('invalid', 'NOT_REVERTIBLE', 'attachments cannot be restored')
  if (tableRef === VIEWS_REF)
    throw new AppError('invalid', 'NOT_REVERTIBLE', 'views cannot be restored without their tables')
  const entries = listEntries(doc, { seq: moment, tableRef })
  for (const { seq } of entries) {
    const { operations } = findEntry(doc.connection, seq, MAX_BYTES) ?? {}
    if (!operations) throw new RedoError(`entry ${seq} is not in the log`)
    for (const step of stepsOf(operations).reverse()) {
      const [first] = step
      if (!first || !isRestored(first, tableRef)) continue
      requireFreeName(doc, first)
      undoStep(doc, step, true)
    }
  }
  forgetDue(doc, { seq: moment, tableRef })
}

/** The entries after a moment, latest first. Throws `too_large`. */
function listEntries(
  { connection, seq: latest }: DocumentWriter,
  { seq: moment, tableRef }: MomentToRestore,
): readonly SizedEntry[] {
  // So many are not even listed, while other writes wait.
  const most = tableRef === undefined ? MAX_CHANGES : MAX_SEARCHED
  const entries =
    latest - moment > most
      ? undefined
      : listSizedEntries(connection, { from: moment + 1, before: latest + 1, tableRef })
  const bytes = entries?.reduce((sum, { size }) => sum + size, 0) ?? Infinity
  if (entries && entries.length <= MAX_CHANGES && bytes <= MAX_BYTES) return entries
  throw new AppError(
    'too_large',
    'RESTORE_TOO_LARGE',
    `at most ${MAX_CHANGES} changes of 32 MiB can be undone at once: copy the document as of that moment instead`,
  )
}

/** Trigger formulas that undone changes have run, and that are not computed yet, have nothing to do any more. */
function forgetDue(doc: DocumentWriter, { seq, tableRef }: MomentToRestore): void {
  const { changes } = doc.connection
    .prepare(
      `DELETE FROM _sheaf_due_cells WHERE seq > ? AND
         (? IS NULL OR column_ref IN (SELECT id FROM _grist_Tables_column WHERE parentId = ?))`,
    )
    .run(seq, tableRef ?? null, tableRef ?? null)
  if (changes > 0) doc.schemaChanged()
}

/** What formulas computed follows from the rest. */
function isRestored(operation: Operation, tableRef: number | undefined): boolean {
  if (operation.table === ATTACHMENTS || ('rowIds' in operation && operation.derived)) return false
  return tableRef === undefined || operation.tableRef === tableRef
}

/** Throws `conflict` when a table comes back to a name that another one has by now. */
function requireFreeName(
  { schema }: DocumentWriter,
  { kind, old, tableRef }: Operation & { old?: object },
): void {
  if (kind !== 'remove_table' && kind !== 'update_table') return
  const { tableId } = old as DescribedTable
  const lower = tableId.toLowerCase()
  const holder = schema.tables.find((table) => table.tableId.toLowerCase() === lower)
  if (!holder || holder.ref === tableRef) return
  const conflictsJson = JSON.stringify([{ tableId: holder.tableId }])
  const message = `the table cannot be restored, because table "${holder.tableId}" has its name`
  throw new AppError('conflict', 'CHANGED_SINCE', message, { conflictsJson })
}
