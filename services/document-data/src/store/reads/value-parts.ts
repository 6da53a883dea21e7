import { valuesSql, type ValuesPlan } from '../../query/column-values'
import { requireRow, type Connection } from '../sqlite/connections'

/** Counts the values of a column; the only part is the JSON of `valuesSql`. */
export function* valueParts(connection: Connection, plan: ValuesPlan): Generator<Buffer> {
  yield requireRow(connection.pluck<Buffer>(valuesSql(plan)).get(...plan.params))
}
