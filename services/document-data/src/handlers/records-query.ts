import { AppError } from '@sheaf/kit/errors'
import {
  CellFormat,
  RecordsForm,
  type ReadRecordsRequest,
} from '@sheaf/protos/sheaf/document_data/v1/records'
import { parseFilter } from '../query/filter'
import { buildReadQuery } from '../query/read-query'
import { parseSort } from '../query/sort'
import type { RecordsQuery } from '../store/record-reads'

/** The query that a request means; what it says of columns is checked once the table is known. */
export function recordsQuery(request: ReadRecordsRequest): RecordsQuery {
  const { tableId, filterJson, sort, limit, hidden } = request
  const form = {
    hidden,
    typed: request.cellFormat === CellFormat.TYPED,
    inColumns: request.form === RecordsForm.COLUMNS,
  }
  if (request.form !== RecordsForm.UNSPECIFIED && !form.inColumns)
    throw new AppError('invalid', 'BAD_FIELD', 'form is not known here')
  if (request.cellFormat !== CellFormat.UNSPECIFIED && !form.typed)
    throw new AppError('invalid', 'BAD_FIELD', 'cell_format is not known')
  if (limit < 0)
    throw new AppError('invalid', 'INVALID_LIMIT', 'limit must be a number of rows, or 0 for all')
  return {
    tableId,
    form,
    build: (table) =>
      buildReadQuery(table, {
        filter: parseFilter(filterJson, table),
        sort: parseSort(sort, table),
        limit,
      }),
  }
}
