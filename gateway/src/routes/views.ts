import { FORMS } from '@sheaf/auth/require-protocol'
import { readDocument, writeDocument } from '../documents/conditional-requests'
import type { Exchange } from '../http/exchange'
import { sendJson, sendNull } from '../http/reply'
import { defineRoute, type Route } from '../routing/route'
import { nothing } from '../schemas/errors'
import { tableParams, viewParams } from '../schemas/parameters'
import { newViews, toView, toWireFields, viewIds, views, viewUpdates } from '../schemas/views'

const tag = 'views'
const path = '/api/docs/{docId}/tables/{tableId}/views'

/** Settings that instances without forms ignore: they came since the release before. */
const newSettings = ['type', 'groupBy', 'summaries', 'form'] as const

const nameTaken = { 409: 'Another view of the table has the name.' }

/** Views of a table: list, add, update, delete. */
export const viewRoutes: readonly Route[] = [
  defineRoute({
    method: 'get',
    path,
    id: 'listViews',
    tag,
    summary: 'List views',
    description:
      'Returns the views of a table by position. Columns that no longer exist are left out of their filters, sort orders and columns.',
    access: 'viewers',
    conditions: 'read',
    params: tableParams,
    success: { description: 'Views of the table', schema: views },
    async handle(exchange, { document, params: { tableId } }) {
      const request = { docId: document.docId, tableId }
      const found = await readDocument(exchange, document, (home, call, options) =>
        home.tables.listViews({ ...request, options }, call),
      )
      if (!found) return
      sendJson(exchange, { views: found.views.map(toView) })
    },
  }),
  defineRoute({
    method: 'post',
    path,
    id: 'addViews',
    tag,
    summary: 'Add views',
    description: 'Adds views to a table, all or none. A table has at most 100 views.',
    access: 'editors',
    conditions: 'write',
    params: tableParams,
    body: newViews,
    success: { description: 'Ids of the new views, in request order', schema: viewIds },
    statuses: nameTaken,
    async handle(exchange, input) {
      const { document, params, body } = input
      requireSettings(exchange, body)
      const request = {
        docId: document.docId,
        tableId: params.tableId,
        views: body.views.map(({ fields }) => toWireFields(fields)),
      }
      const added = await writeDocument(exchange, input, (home, call, options) =>
        home.tables.addViews({ ...request, options }, call),
      )
      sendJson(exchange, { views: added.viewIds.map((id) => ({ id })) })
    },
  }),
  defineRoute({
    method: 'patch',
    path,
    id: 'modifyViews',
    tag,
    summary: 'Update views',
    description: 'Updates views by id, all or none.',
    access: 'editors',
    conditions: 'write',
    params: tableParams,
    body: viewUpdates,
    success: { description: 'Done', schema: nothing },
    statuses: nameTaken,
    async handle(exchange, input) {
      const { document, params, body } = input
      requireSettings(exchange, body)
      const request = {
        docId: document.docId,
        tableId: params.tableId,
        views: body.views.map(({ id, fields }) => ({ id, fields: toWireFields(fields) })),
      }
      await writeDocument(exchange, input, (home, call, options) =>
        home.tables.updateViews({ ...request, options }, call),
      )
      sendNull(exchange)
    },
  }),
  defineRoute({
    method: 'delete',
    path: `${path}/{viewId}`,
    id: 'deleteView',
    tag,
    summary: 'Delete a view',
    description: 'Deletes a view. Its table stays as it is.',
    access: 'editors',
    conditions: 'write',
    params: viewParams,
    success: { description: 'Done', schema: nothing },
    async handle(exchange, input) {
      const request = { ...input.params, docId: input.document.docId }
      await writeDocument(exchange, input, (home, call, options) =>
        home.tables.deleteView({ ...request, options }, call),
      )
      sendNull(exchange)
    },
  }),
]

/** Keeps views from an instance that would ignore a part of them. */
function requireSettings(
  exchange: Exchange,
  { views }: { readonly views: readonly { readonly fields: Readonly<Record<string, unknown>> }[] },
): void {
  if (views.some(({ fields }) => newSettings.some((name) => fields[name] !== undefined)))
    exchange.neededProtocol = FORMS
}
