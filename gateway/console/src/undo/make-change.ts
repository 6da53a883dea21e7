import type { AppliedOperation, BatchOperation, CellWriteOptions } from '@sheaf/client'
import { docOf, type AnyTables } from '../api/sheaf'

/** A change that was made. */
export interface MadeChange {
  readonly operation: AppliedOperation | undefined
  /** Its position in the log; undefined if nothing changed. */
  readonly seq: number | undefined
}

/** Makes a change by one operation, as a batch: the answers of other routes do not say which change they made. */
export async function makeChange(
  docId: string,
  operation: BatchOperation<AnyTables>,
  options?: CellWriteOptions,
): Promise<MadeChange> {
  const { operations, seq } = await makeChanges(docId, [operation], options)
  return { operation: operations[0], seq }
}

/** Makes one change by several operations, all or none. */
export async function makeChanges(
  docId: string,
  operations: readonly BatchOperation<AnyTables>[],
  options?: CellWriteOptions,
): Promise<{ readonly operations: readonly AppliedOperation[] } & Pick<MadeChange, 'seq'>> {
  const applied = await docOf(docId).batch(operations, options)
  return { operations: applied.operations, seq: applied.isModification ? applied.seq : undefined }
}
