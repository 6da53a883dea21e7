import { columnType } from './column-types'
import type { ColumnType } from './column-type'

/**
 * Times of uploads in a listing of attachments: epoch milliseconds on disk, unlike any other time, and an ISO 8601 text in
 * JSON.
 */
export const uploadTimeType: ColumnType = {
  ...columnType('DateTime:UTC'),
  jsonSql: (column) => `strftime('%Y-%m-%dT%H:%M:%fZ',${column}/1000.0,'unixepoch')`,
}
