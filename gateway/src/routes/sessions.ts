import { AppError } from '@sheaf/kit/errors'
import { z } from 'zod'
import type { Exchange } from '../http/exchange'
import { sendJson, sendNull } from '../http/reply'
import { defineRoute, type Route } from '../routing/route'
import { nothing } from '../schemas/errors'
import { sessionParams } from '../schemas/parameters'
import { toUserSession, userSession } from '../schemas/sessions'

const tag = 'session'
const path = '/api/profile/sessions'
/** The caller. */
const userId = 0

/** The sessions of the calling user, in all browsers. */
export const sessionsRoutes: readonly Route[] = [
  defineRoute({
    method: 'get',
    path,
    id: 'listSessions',
    tag,
    summary: 'List your sessions',
    description: 'Requires a signed-in user.',
    access: 'caller',
    noStore: true,
    success: {
      description: 'Active sessions, most recently used first; at most 100',
      schema: z.array(userSession),
    },
    async handle(exchange) {
      const request = { userId, currentToken: currentToken(exchange) }
      const { sessions } = exchange.context.directory
      const listed = await sessions.listSessions(request, exchange.call())
      sendJson(exchange, listed.sessions.map(toUserSession))
    },
  }),
  defineRoute({
    method: 'delete',
    path: `${path}/{sessionId}`,
    id: 'endSession',
    tag,
    summary: 'End one of your sessions',
    description: 'Requires a signed-in user.',
    access: 'caller',
    params: sessionParams,
    success: { description: 'Done; the session is rejected immediately', schema: nothing },
    async handle(exchange, { params: { sessionId } }) {
      const sessionRef = { $case: 'sessionId', value: sessionId } as const
      const { sessions } = exchange.context.directory
      const { ended } = await sessions.endSession({ sessionRef }, exchange.call())
      if (!ended) throw sessionNotFound()
      sendNull(exchange)
    },
  }),
  defineRoute({
    method: 'delete',
    path,
    id: 'endOtherSessions',
    tag,
    summary: 'End your other sessions',
    description:
      'Ends all sessions except the current one and invalidates unused sign-in links. With an API key, ends all sessions. Requires a signed-in user.',
    access: 'caller',
    success: {
      description: 'Number of sessions that were ended',
      schema: z.object({ ended: z.int().describe('Number of sessions that were ended') }),
    },
    async handle(exchange) {
      const request = { userId, keptToken: currentToken(exchange) }
      const { sessions } = exchange.context.directory
      const { ended } = await sessions.endAllSessions(request, exchange.call())
      sendJson(exchange, { ended })
    },
  }),
]

/** Token of the current session; empty for other credentials. */
function currentToken({ credential }: Exchange): string {
  return credential?.kind === 'session' ? credential.secret : ''
}

const sessionNotFound = () => new AppError('not_found', 'SESSION_NOT_FOUND', 'session not found')
