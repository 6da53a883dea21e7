import { columnType } from './column-types'
import type { ColumnType } from './column-type'

/**
 * Upload times in a listing of attachments: epoch milliseconds on disk, unlike other times, and ISO 8601 text
 * in JSON.
 */
export const uploadTimeType: ColumnType = {
  ...columnType('DateTime:UTC'),
  jsonSql: (column) => `strftime('%Y-%m-%dT%H:%M:%fZ',${column}/1000.0,'unixepoch')`,
}
