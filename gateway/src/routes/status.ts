import { AppError } from '@sheaf/kit/errors'
import { z } from 'zod'
import { sendJson } from '../reply'
import { defineRoute, type Route } from '../route'
import { flag } from '../schemas/parameters'

/** Whether Sheaf is alive, and whether it is ready. */
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
      schema: z.object({ status: z.enum(['alive', 'ready']) }),
    },
    async handle(exchange, { query: { ready } }) {
      const { context } = exchange
      if (!ready) return sendJson(exchange, { status: 'alive' })
      const missing = context.isDraining() ? ['gateway'] : await context.readiness.findMissing()
      if (missing.length === 0) return sendJson(exchange, { status: 'ready' })
      const names = missing.join(', ')
      throw new AppError('unavailable', 'NOT_READY', `not ready: ${names}`, { missing: names })
    },
  }),
]
