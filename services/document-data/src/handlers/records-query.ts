import { AppError } from '@sheaf/kit/errors'
import {
  CellFormat,
  RecordsForm,
  type ReadRecordsRequest,
  type RecordsSearch,
  type RecordsView,
} from '@sheaf/protos/sheaf/document_data/v1/records'
import { parseFilter, unknownColumn } from '../query/filter'
import { buildReadQuery } from '../query/read-query'
import { readSearchLocale, requireSearchText, type Search } from '../query/search'
import { parseSort } from '../query/sort'
import { findColumn, type TableShape } from '../query/table-shape'
import type { QueryReader, RecordsQuery } from '../store/documents/record-reads'
import { searchedColumns } from '../store/reads/searched-columns'
import type { Table } from '../store/schema/schema'
import { readFormat } from './record-format'
import { readOffset } from './read-offset'
import type { RecordsPage } from './records-page'

/**
 * Builds the query of a request. Its columns are checked later, once the table is known.
 * @param page the requested page, if any
 */
export function recordsQuery(request: ReadRecordsRequest, page?: RecordsPage): RecordsQuery {
  const { tableId, filterJson, search, sort, limit, hidden, view } = request
  const form = {
    hidden,
    typed: request.cellFormat === CellFormat.TYPED,
    inColumns: request.form === RecordsForm.COLUMNS,
    format: readFormat(request.format),
  }
  if (request.form !== RecordsForm.UNSPECIFIED && !form.inColumns)
    throw new AppError('invalid', 'BAD_FIELD', 'form is not supported here')
  if (request.cellFormat !== CellFormat.UNSPECIFIED && !form.typed)
    throw new AppError('invalid', 'BAD_FIELD', 'cell_format is unknown')
  if (form.format && form.inColumns)
    throw new AppError('invalid', 'BAD_FIELD', 'format is not supported for columns')
  if (form.typed && form.format === 'arrow')
    throw new AppError(
      'invalid',
      'BAD_FIELD',
      'cellFormat typed is not supported for Arrow, which has types in its schema',
    )
  if (view && form.inColumns)
    throw new AppError('invalid', 'BAD_FIELD', 'view is not supported for columns')
  if (limit < 0)
    throw new AppError('invalid', 'INVALID_LIMIT', 'limit must be a non-negative integer')
  return {
    tableId,
    form,
    build: (table, reader) => {
      const query = buildReadQuery(table, {
        filter: parseFilter(filterJson, table),
        search: search && readSearch(search, table, reader),
        sort: parseSort(sort, table),
        limit,
        ...(view && {
          fields: readFields(view, table),
          paged: page !== undefined,
          counted: view.count,
          offset: readOffset(view.offset),
        }),
      })
      return page ? page.resume(query, table, reader.connection) : query
    },
  }
}

function readFields({ fields, onlyFields }: RecordsView, table: TableShape): string[] | undefined {
  if (!onlyFields) return undefined
  for (const name of fields)
    if (name !== 'id' && !findColumn(table, name)) throw unknownColumn(name, table)
  return fields
}

/** Reads what rows are searched for. Throws AppError `invalid` for a text that is empty or too long, for unknown columns, and for no language tag. */
export function readSearch(
  { text, columns: ids, locale }: RecordsSearch,
  table: Table,
  { schema }: Pick<QueryReader, 'schema'>,
): Search {
  requireSearchText(text)
  const shownIn = { ids, locale: readSearchLocale(locale) }
  return { text, columns: searchedColumns(schema, table, shownIn) }
}
