import { AppError } from '@sheaf/kit/errors'
import { z } from 'zod'
import { sendJson } from '../http/reply'
import { defineRoute, type Route } from '../routing/route'
import { flag } from '../schemas/parameters'

/** Liveness and readiness. */
export const statusRoutes: readonly Route[] = [
  defineRoute({
    method: 'get',
    path: '/status',
    id: 'getStatus',
    tag: 'about',
    summary: 'Tell whether Sheaf is alive, or with `ready=1` whether all of it is ready',
    description: 'Answers 503 naming what is not ready.',
    access: 'open',
    isProbe: true,
    query: z.object({ ready: flag('Ask every service and engine') }),
    success: {
      description: 'Alive, or ready',
      schema: z.object({
        status: z.enum(['alive', 'ready']),
        eventsBacklog: z.int().optional().meta({
          description:
            'With `ready=1`: documents with changes that are not published yet; also in the details of a 503',
        }),
      }),
    },
    async handle(exchange, { query: { ready } }) {
      const { context } = exchange
      if (!ready) return sendJson(exchange, { status: 'alive' })
      if (context.isDraining()) throw notReady({ missing: 'gateway' })
      const { missing, eventsBacklog } = await context.readiness.find()
      if (missing.length === 0) return sendJson(exchange, { status: 'ready', eventsBacklog })
      throw notReady({ missing: missing.join(', '), eventsBacklog: String(eventsBacklog) })
    },
  }),
]

function notReady(details: {
  readonly missing: string
  readonly eventsBacklog?: string
}): AppError {
  return new AppError('unavailable', 'NOT_READY', `not ready: ${details.missing}`, { ...details })
}
