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
    summary: 'Check liveness or readiness',
    description:
      'Returns 200 while the gateway runs. With `ready=1`, checks all services, databases and NATS, and returns 503 with the names of those that are not ready.',
    access: 'open',
    isProbe: true,
    query: z.object({ ready: flag('Check all services, databases and NATS') }),
    success: {
      description: 'Alive or ready',
      schema: z.object({
        status: z.enum(['alive', 'ready']),
        eventsBacklog: z.int().optional().meta({
          description:
            'Number of documents with unpublished changes. Present with `ready=1`, also in `details` of a 503.',
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
