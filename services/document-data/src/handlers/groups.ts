import { AppError } from '@sheaf/kit/errors'
import type { ServerCall } from '@sheaf/auth/server-call'
import {
  ListGroupsResponse,
  type ListGroupsRequest,
  type RecordsService,
} from '@sheaf/protos/sheaf/document_data/v1/records'
import type { Context } from '../context'
import { parseAggregates } from '../query/aggregates'
import { parseFilter } from '../query/filter'
import { parseGroupBy, planGroups } from '../query/groups'
import type { PlanExport } from '../store/documents/read-export'
import { requireDocument } from './document-call'
import { readJsonExport } from './json-export'
import { readSearch } from './records-query'

const MAX_GROUPS = 10_000
const DEFAULT_GROUPS = 1_000

/** The handler of RecordsService that counts rows in groups. */
export const groups = (ctx: Context): Pick<RecordsService, 'listGroups'> => ({
  async listGroups(request: ListGroupsRequest, call: ServerCall): Promise<ListGroupsResponse> {
    requireDocument(ctx, call, request.docId, 'viewers')
    const answer = await readJsonExport(ctx, call, request, planRead(request))
    return ListGroupsResponse.fromPartial(answer)
  },
})

function planRead(request: ListGroupsRequest): PlanExport {
  const { tableId, groupBy, aggregates, filterJson, search, limit } = request
  if (limit < 0 || limit > MAX_GROUPS)
    throw new AppError(
      'invalid',
      'INVALID_LIMIT',
      `limit must be an integer from 0 to ${MAX_GROUPS}`,
    )
  return (schema) => {
    const table = schema.getReadable(tableId)
    return planGroups(table, {
      groupBy: parseGroupBy(groupBy, table),
      aggregates: parseAggregates(aggregates, table),
      filter: parseFilter(filterJson, table),
      search: search && readSearch(search, table, { schema }),
      limit: limit || DEFAULT_GROUPS,
    })
  }
}
