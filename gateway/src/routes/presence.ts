import { AppError } from '@sheaf/kit/errors'
import { sendNull } from '../http/reply'
import { defineRoute, type Route } from '../routing/route'
import { nothing } from '../schemas/errors'
import { presenceParams, presencePlace } from '../schemas/presence'

/** Who has a document open; the list of it is part of the stream of changes. */
export const presenceRoutes: readonly Route[] = [
  defineRoute({
    method: 'put',
    path: '/api/docs/{docId}/presence/{sessionId}',
    id: 'setPresence',
    tag: 'changes',
    summary: 'Set where a session is',
    description:
      'Sets where in the document a session of the caller is, for the others who have the document open: an event `presence` of their streams of changes. Requires a stream of changes that was opened with this `session`; the session is gone when the stream ends. Nothing is stored.',
    access: 'viewers',
    params: presenceParams,
    body: presencePlace,
    success: { description: 'Done', schema: nothing },
    statuses: {
      401: 'The request is anonymous.',
      404: 'No stream of changes is open with this session.',
    },
    async handle(exchange, { document, params: { sessionId }, body }) {
      if (!exchange.credential)
        throw new AppError('unauthenticated', 'SIGN_IN_NEEDED', 'authentication required')
      const { tableId = '', rowId = 0, colId = '' } = body
      const place = { tableId, rowId, colId }
      const request = { docId: document.docId, sessionId, place }
      await document.call((home, call) => home.presence.updatePresence(request, call), {
        isIdempotent: true,
      })
      sendNull(exchange)
    },
  }),
]
