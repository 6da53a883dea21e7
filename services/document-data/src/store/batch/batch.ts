import { AppError } from '@sheaf/kit/errors'
import type { DocumentWriter } from '../document'
import type { WriteOptions } from '../records/conversion'
import { requireFewColumns } from '../structure/tables'
import type { BatchOperation, OperationResult } from './operations'
import { applyToRecords, at, type BatchState } from './records-operations'
import { applyToStructure } from './structure-operations'
import { TemporaryIds } from './temporary-ids'

/** Results of the operations of a batch, and the rows that it has added under temporary ids. */
export interface BatchResult {
  readonly operations: readonly OperationResult[]
  readonly temporaryIds: Readonly<Record<string, number>>
}

/**
 * Applies operations in order, each to the document as the one before has left it; formulas are computed after the
 * last. Throws the errors of the operations, with the location of the fault.
 */
export function applyBatch(
  doc: DocumentWriter,
  operations: readonly BatchOperation[],
  options: WriteOptions,
): BatchResult {
  requireFewColumns(operations.flatMap((one) => (one.op === 'addTables' ? one.tables : [])))
  const ids = new TemporaryIds()
  const results = operations.map((operation, index) => {
    const state: BatchState = { doc, options, ids, path: `operations[${index}]` }
    try {
      return applyOne(state, operation)
    } catch (error) {
      throw located(error, state.path)
    }
  })
  return { operations: results, temporaryIds: ids.all }
}

function applyOne(state: BatchState, operation: BatchOperation): OperationResult {
  switch (operation.op) {
    case 'addRecords':
    case 'updateRecords':
    case 'addOrUpdateRecords':
    case 'deleteRecords':
      return applyToRecords(state, operation)
    default:
      return applyToStructure(state.doc, operation, state.options.strict ?? false)
  }
}

function located(error: unknown, path: string): unknown {
  if (!(error instanceof AppError) || error.metadata.path !== undefined) return error
  const { index, column } = error.metadata
  const isCell = index !== undefined && column !== undefined
  return at(error, isCell ? `${path}.records[${index}].fields.${column}` : path)
}
