import type { Operation, RowOperation, SchemaOperation } from '../log/log'
import { ATTACHMENTS } from '../attachments/attachments'
import type { DocumentWriter } from '../document'
import { VIEWS } from '../schema/metadata-tables'
import { redoAttachments, type ContentSource } from './redo-attachments'
import { redoAddedColumns, redoRemovedColumns, redoUpdatedColumns } from './redo-columns'
import { redoRows } from './redo-rows'
import { redoTable } from './redo-tables'
import { redoViews } from './redo-views'

/**
 * Applies the operations of a log entry to a document that is in the state before the entry, within a
 * transaction of the caller: afterwards the document holds what the write left, byte by byte, except for what
 * is local (`localState`). Redo of the first entry of a document that was created empty starts from an empty
 * migrated file. The log itself is not written. Throws RedoError when the document is in another state.
 */
export function redoEntry(
  doc: DocumentWriter,
  operations: readonly Operation[],
  contents: ContentSource,
): void {
  for (const step of stepsOf(operations)) redoStep(doc, step, contents)
}

/** The operations of an entry by the steps in which they changed the document. */
export function stepsOf(operations: readonly Operation[]): (readonly Operation[])[] {
  const steps: (readonly Operation[])[] = []
  for (let index = 0; index < operations.length;) {
    const operation = operations[index]
    if (!operation) break
    const step = 'rowIds' in operation ? [operation] : stepAt(operations, index, operation)
    steps.push(step)
    index += step.length
  }
  return steps
}

/** Applies one of the steps of `stepsOf`. */
export function redoStep(
  doc: DocumentWriter,
  step: readonly Operation[],
  contents: ContentSource,
): void {
  const [first] = step
  if (!first) return
  if ('rowIds' in first) redoRowOperation(doc, first, contents)
  else redoSchemaStep(doc, first, step)
}

function redoRowOperation(
  doc: DocumentWriter,
  operation: RowOperation,
  contents: ContentSource,
): void {
  if (operation.table === ATTACHMENTS) redoAttachments(doc, operation, contents)
  else if (operation.table === VIEWS) redoViews(doc, operation)
  else redoRows(doc, operation)
}

/**
 * The operations that changed the stored table in one step, with the conversions of cells in between, which
 * belong to their columns.
 */
function stepAt(
  operations: readonly Operation[],
  start: number,
  { kind, redo }: SchemaOperation,
): readonly Operation[] {
  let left = redo?.together ?? 1
  let end = start
  while (left > 0 && end < operations.length) if (operations[end++]?.kind === kind) left--
  while (kind === 'update_column' && isConversion(operations[end])) end++
  return operations.slice(start, end)
}

/** True for a conversion of the cells of a column that a preceding operation changed. */
export function isConversion(operation: Operation | undefined): boolean {
  return operation?.kind === 'update_rows' && operation.columns[0]?.oldType !== undefined
}

function redoSchemaStep(
  doc: DocumentWriter,
  first: SchemaOperation,
  step: readonly Operation[],
): void {
  const schemaOperations = step.filter(
    (operation): operation is SchemaOperation => !('rowIds' in operation),
  )
  switch (first.kind) {
    case 'add_table':
    case 'update_table':
    case 'remove_table':
      return redoTable(doc, first)
    case 'add_column':
      return redoAddedColumns(doc, schemaOperations)
    case 'remove_column':
      return redoRemovedColumns(doc, schemaOperations)
    case 'update_column':
      return redoUpdatedColumns(doc, step)
  }
}
