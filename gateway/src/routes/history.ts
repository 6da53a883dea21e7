import { AppError } from '@sheaf/kit/errors'
import type { ChangeEvent } from '@sheaf/protos/sheaf/events/v1/changes'
import type { UserName } from '@sheaf/protos/sheaf/directory/v1/users'
import { changeJson } from '../documents/change-json'
import { writeDocument } from '../documents/conditional-requests'
import type { Exchange } from '../http/exchange'
import { sendBytes, sendJson } from '../http/reply'
import { defineRoute, type Route } from '../routing/route'
import { changeParams, changeSeq, historyPage, historyQuery } from '../schemas/history'
import { docParams } from '../schemas/parameters'

const tag = 'history'

/** The history of a document, with authors, and revert. */
export const historyRoutes: readonly Route[] = [
  defineRoute({
    method: 'get',
    path: '/api/docs/{docId}/history',
    id: 'listHistory',
    tag,
    summary: 'List changes of a document, newest first',
    description:
      'Who changed what and when, with values before and after. A page may hold fewer changes than its limit, or none; follow `next` until it is null.',
    access: 'editors',
    params: docParams,
    query: historyQuery,
    success: { description: 'The changes', schema: historyPage },
    async handle(exchange, { document, query }) {
      const { tableId = '', rowId = 0, limit = 0, before = 0 } = query
      if (rowId > 0 && tableId === '')
        throw new AppError('invalid', 'INVALID_PARAMETER', 'rowId parameter needs tableId', {
          parameter: 'rowId',
        })
      const { docId } = document
      const request = { docId, tableId, rowId, limit, beforeSeq: before }
      const { changes, nextBeforeSeq } = await document.call((home, call) =>
        home.history.listHistory(request, call),
      )
      const users = await findUsers(exchange, changes)
      const parts = changes.map((change) => historyJson(change, users))
      sendBytes(exchange, joinPage(parts, nextBeforeSeq))
    },
  }),
  defineRoute({
    method: 'post',
    path: '/api/docs/{docId}/changes/{seq}/revert',
    id: 'revertChange',
    tag,
    summary: 'Undo a change of a document',
    description:
      'Undoes it as a new change, exactly or not at all: what has been changed since is not touched, and is named by a 409 (`details.conflicts`). Undoing that change does it again.',
    access: 'editors',
    conditions: 'write',
    params: changeParams,
    success: { description: 'The new change', schema: changeSeq },
    async handle(exchange, input) {
      const request = { docId: input.document.docId, seq: input.params.seq }
      const { seq } = await writeDocument(exchange, input, (home, call, options) =>
        home.history.revertChange({ ...request, options }, call),
      )
      sendJson(exchange, { seq })
    },
  }),
]

/** Returns the authors by id; deleted accounts are omitted. */
async function findUsers(
  exchange: Exchange,
  changes: readonly ChangeEvent[],
): Promise<ReadonlyMap<number, UserName>> {
  const userIds = [...new Set(changes.map(({ userId }) => userId))].filter((id) => id !== 0)
  if (userIds.length === 0) return new Map()
  const { directory, system } = exchange.context
  const call = exchange.call(await system.token())
  const { users } = await directory.users.listUserNames({ userIds }, call)
  return new Map(users.map((user) => [user.id, user]))
}

function historyJson(change: ChangeEvent, users: ReadonlyMap<number, UserName>): Buffer {
  const { userId: id } = change
  const { name = null, email = null } = users.get(id) ?? {}
  const user = id === 0 ? null : { id, name, email }
  return changeJson(change, { oldValues: true, more: { user } })
}

function joinPage(changes: readonly Buffer[], next: number): Buffer {
  const parts: Buffer[] = [Buffer.from('{"changes":[')]
  changes.forEach((change, index) => {
    if (index > 0) parts.push(Buffer.from(','))
    parts.push(change)
  })
  parts.push(Buffer.from(`],"next":${next === 0 ? 'null' : next}}`))
  return Buffer.concat(parts)
}
