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
  const { operations, isModification, seq } = await docOf(docId).batch([operation], options)
  return { operation: operations[0], seq: isModification ? seq : undefined }
}
