import { PAST_AND_CAPS } from '@sheaf/auth/require-protocol'
import { AppError } from '@sheaf/kit/errors'
import { describeChanges } from '../documents/described-changes'
import { writeDocument } from '../documents/conditional-requests'
import { sendBytes, sendJson } from '../http/reply'
import { defineRoute, type Route } from '../routing/route'
import {
  changeParams,
  changeSeq,
  historyPage,
  historyQuery,
  momentToRestore,
} from '../schemas/history'
import { parseMoment } from '../schemas/moment'
import { docParams } from '../schemas/parameters'
import { comparisonRoute } from './comparison'
import { documentsComparisonRoute } from './documents-comparison'

const tag = 'history'

/** Change history of a document, undo, and comparison of moments and documents. */
export const historyRoutes: readonly Route[] = [
  comparisonRoute,
  documentsComparisonRoute,
  defineRoute({
    method: 'get',
    path: '/api/docs/{docId}/history',
    id: 'listHistory',
    tag,
    summary: 'List change history',
    description:
      'Returns changes with author, time, old values and new values, newest first. A page can have fewer changes than `limit`, or none, before the end of the history; continue with `next` until it is null.',
    access: 'editors',
    params: docParams,
    query: historyQuery,
    success: { description: 'Page of changes, newest first', schema: historyPage },
    async handle(exchange, { document, query }) {
      const { tableId = '', rowId = 0, keyId = 0, limit, before = 0 } = query
      if (rowId > 0 && tableId === '')
        throw new AppError('invalid', 'INVALID_PARAMETER', 'rowId parameter requires tableId', {
          parameter: 'rowId',
        })
      if (keyId > 0) exchange.neededProtocol = PAST_AND_CAPS
      const { docId } = document
      const request = { docId, tableId, rowId, keyId, limit, beforeSeq: before }
      const { changes, nextBeforeSeq } = await document.read((home, call) =>
        home.history.listHistory(request, call),
      )
      const parts = await describeChanges(exchange, changes)
      sendBytes(exchange, joinPage(parts, nextBeforeSeq))
    },
  }),
  defineRoute({
    method: 'post',
    path: '/api/docs/{docId}/changes/{seq}/revert',
    id: 'revertChange',
    tag,
    summary: 'Undo a change',
    description:
      'Reverts a change completely and records the result as a new change; reverting that one redoes the original. Returns 409 and changes nothing if a later change affects the same data; `details.conflicts` lists it.',
    access: 'editors',
    conditions: 'write',
    params: changeParams,
    success: { description: 'Position of the new change', schema: changeSeq },
    statuses: { 409: 'A later change affects the same data; `details.conflicts` lists it.' },
    async handle(exchange, input) {
      const request = { docId: input.document.docId, seq: input.params.seq }
      const { seq } = await writeDocument(exchange, input, (home, call, options) =>
        home.history.revertChange({ ...request, options }, call),
      )
      sendJson(exchange, { seq })
    },
  }),
  defineRoute({
    method: 'post',
    path: '/api/docs/{docId}/restore',
    id: 'restoreMoment',
    tag,
    summary: 'Restore a former moment',
    description:
      'Undoes all changes after a moment, of the document or of one table, by one new change, which can itself be undone. Formulas are computed again, and attachments stay as they are. `dryRun=true` shows what would change. At most 10,000 changes of 32 MiB: beyond that, copy the document as of the moment.',
    access: 'editors',
    conditions: 'write',
    params: docParams,
    body: momentToRestore,
    success: { description: 'Position of the new change', schema: changeSeq },
    statuses: { 409: 'A later change affects the same data; `details.conflicts` lists it.' },
    async handle(exchange, input) {
      const { tableId = '', asOf } = input.body
      const request = { docId: input.document.docId, tableId, moment: parseMoment(String(asOf)) }
      const { seq } = await writeDocument(exchange, input, (home, call, options) =>
        home.history.restoreMoment({ ...request, options }, call),
      )
      sendJson(exchange, { seq })
    },
  }),
]

function joinPage(changes: readonly Buffer[], next: number): Buffer {
  const parts: Buffer[] = [Buffer.from('{"changes":[')]
  changes.forEach((change, index) => {
    if (index > 0) parts.push(Buffer.from(','))
    parts.push(change)
  })
  parts.push(Buffer.from(`],"next":${next === 0 ? 'null' : next}}`))
  return Buffer.concat(parts)
}
