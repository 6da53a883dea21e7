import { readDocument } from '../documents/conditional-requests'
import { readSearchQuery } from '../documents/records-search'
import { sendBytes } from '../http/reply'
import { defineRoute, type Route } from '../routing/route'
import { groups, groupsQuery } from '../schemas/groups'
import { splitList, tableParams } from '../schemas/parameters'

/** Counts and aggregates of the records of a table. */
export const groupRoutes: readonly Route[] = [
  defineRoute({
    method: 'get',
    path: '/api/docs/{docId}/tables/{tableId}/groups',
    id: 'listGroups',
    tag: 'records',
    summary: 'Count records in groups',
    description:
      'Returns the number of records of a table, and aggregates of their cells: of all records that match filter and search, and of the groups with the same values of some columns, in the order of records sorted by these columns. Values that sort as equal are one group. A cell is filled unless it is null or empty text; errors of formulas are filled. Sums, averages, least and greatest values are those of the numbers in the cells; text that a column keeps is none.',
    access: 'viewers',
    conditions: 'read',
    params: tableParams,
    query: groupsQuery,
    success: { description: 'The groups', schema: groups },
    async handle(exchange, { document, params, query }) {
      const { groupBy, aggregate, filter, limit } = query
      const request = {
        ...params,
        docId: document.docId,
        groupBy: splitList(groupBy) ?? [],
        aggregates: splitList(aggregate) ?? [],
        filterJson: Buffer.from(filter ?? ''),
        search: readSearchQuery(exchange, query),
        limit,
      }
      const found = await readDocument(exchange, document, (home, call, options) =>
        home.records.listGroups({ ...request, options }, call),
      )
      if (found) sendBytes(exchange, found.bodyJson)
    },
  }),
]
