import { AppError } from '@sheaf/kit/errors'
import type { ServerCall } from '@sheaf/auth/server-call'
import {
  ListColumnValuesResponse,
  type ColumnsService,
  type ListColumnValuesRequest,
} from '@sheaf/protos/sheaf/document_data/v1/columns'
import type { Context } from '../context'
import { planValues } from '../query/column-values'
import { parseFilter } from '../query/filter'
import type { PlanExport } from '../store/documents/read-export'
import { columnNotFound } from '../store/schema/unknown-names'
import { requireDocument } from './document-call'
import { readJsonExport } from './json-export'
import { readSearch } from './records-query'

const MAX_VALUES = 1_000
const DEFAULT_VALUES = 200

/** The handler of ColumnsService that counts values. */
export const columnValues = (ctx: Context): Pick<ColumnsService, 'listColumnValues'> => ({
  async listColumnValues(
    request: ListColumnValuesRequest,
    call: ServerCall,
  ): Promise<ListColumnValuesResponse> {
    requireDocument(ctx, call, request.docId, 'viewers')
    const answer = await readJsonExport(ctx, call, request, planRead(request))
    return ListColumnValuesResponse.fromPartial(answer)
  },
})

function planRead(request: ListColumnValuesRequest): PlanExport {
  const { tableId, columnId, filterJson, search, limit } = request
  if (limit < 0 || limit > MAX_VALUES)
    throw new AppError(
      'invalid',
      'INVALID_LIMIT',
      `limit must be an integer from 0 to ${MAX_VALUES}`,
    )
  return (schema) => {
    const table = schema.getReadable(tableId)
    const column = table.byId.get(columnId)
    if (!column) throw columnNotFound(columnId, table)
    const filter = parseFilter(filterJson, table)
    return planValues(table, column, {
      filter,
      search: search && readSearch(search, table, { schema }),
      limit: limit || DEFAULT_VALUES,
    })
  }
}
