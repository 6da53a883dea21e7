import type { BatchOperation } from '@sheaf/client'
import type { Row } from '../../api/resources'
import type { AnyTables } from '../../api/sheaf'
import { toRecord } from '../../writes/table/entered-rows'
import type { PastePlan } from '../clipboard/paste-plan'

/**
 * Returns the operations of a paste that adds columns of some ids, and rows. The cells that it overwrites must still be those
 * of the rows as they were read.
 */
export function growthOperations(
  table: string,
  { changes, addedRows }: PastePlan,
  rows: readonly Row[],
  ids: readonly string[] = [],
): BatchOperation<AnyTables>[] {
  const before = new Map(rows.map(({ id, fields }) => [id, fields]))
  const columns = ids.map((id) => ({ id, fields: { type: 'Any', label: id } }))
  const changed = changes.map((change) =>
    toRecord({ ...change, before: before.get(change.id) ?? {} }),
  )
  const records = addedRows.map((fields) => ({ fields }))
  return [
    ...(columns.length > 0 ? [{ op: 'addColumns', table, columns } as const] : []),
    ...(changed.length > 0 ? [{ op: 'updateRecords', table, records: changed } as const] : []),
    ...(records.length > 0 ? [{ op: 'addRecords', table, records } as const] : []),
  ]
}
