import { AppError } from '@sheaf/kit/errors'
import { getVersion } from '@sheaf/kit/version'
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
        status: z.enum(['alive', 'ready']).describe('`alive`, or `ready` with `ready=1`'),
        version: z.string().meta({ description: 'Version of Sheaf', example: '0.1.0' }),
        commit: z.string().optional().meta({
          description: 'Beginning of the commit that it was built from, when known',
        }),
        eventsBacklog: z.int().optional().meta({
          description:
            'Number of documents with unpublished changes. Present with `ready=1`, also in `details` of a 503.',
        }),
        warnings: z.array(z.string()).optional().meta({
          description:
            'What an operator should act on although Sheaf is ready, such as a full disk: a sentence each. Present with `ready=1` if there is any, also in `details` of a 503.',
        }),
      }),
    },
    async handle(exchange, { query: { ready } }) {
      const { context } = exchange
      if (!ready) return sendJson(exchange, { status: 'alive', ...getVersion() })
      if (context.isDraining()) throw notReady({ missing: 'gateway' })
      const { missing, eventsBacklog, warnings } = await context.readiness.find()
      const hasWarnings = warnings.length > 0
      if (missing.length === 0)
        return sendJson(exchange, {
          status: 'ready',
          ...getVersion(),
          eventsBacklog,
          ...(hasWarnings && { warnings }),
        })
      throw notReady({
        missing: missing.join(', '),
        eventsBacklog: String(eventsBacklog),
        ...(hasWarnings && { warningsJson: JSON.stringify(warnings) }),
      })
    },
  }),
]

function notReady(details: {
  readonly missing: string
  readonly eventsBacklog?: string
  readonly warningsJson?: string
}): AppError {
  return new AppError('unavailable', 'NOT_READY', `not ready: ${details.missing}`, { ...details })
}
