import { AppError } from '@sheaf/kit/errors'
import type { ListAttachmentsRequest } from '@sheaf/protos/sheaf/document_data/v1/attachments'
import { parseFilter } from '../query/filter'
import { buildReadQuery } from '../query/read-query'
import { parseSort } from '../query/sort'
import { ATTACHMENTS } from '../store/attachments/attachments'
import type { RecordsQuery } from '../store/documents/record-reads'
import type { Table } from '../store/schema/schema'
import { uploadTimeType } from '../values/upload-time'
import { readOffset } from './read-offset'

/** Columns shown for each attachment in a listing. */
const FIELDS = ['fileName', 'fileSize', 'timeUploaded']
const FORM = { hidden: false, typed: false, inColumns: false }

/** Builds the query of an attachment listing. Throws AppError `invalid` for an invalid request. */
export function attachmentsQuery(request: ListAttachmentsRequest): RecordsQuery {
  const { filterJson, sort, limit } = request
  const offset = readOffset(request.offset)
  if (limit < 0)
    throw new AppError('invalid', 'INVALID_LIMIT', 'limit must be a non-negative integer')
  return {
    tableId: ATTACHMENTS,
    form: FORM,
    shape: showTimes,
    build: (table) =>
      buildReadQuery(table, {
        filter: parseFilter(filterJson, table),
        sort: parseSort(sort, table),
        limit,
        offset,
        fields: FIELDS,
      }),
  }
}

/** The attachments table, with upload times in the format of this listing. */
function showTimes(table: Table): Table {
  const columns = table.columns.map((column) =>
    column.id === 'timeUploaded' ? { ...column, type: uploadTimeType } : column,
  )
  return { ...table, columns, byId: new Map(columns.map((column) => [column.id, column])) }
}
