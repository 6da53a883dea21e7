import type { Pool } from 'pg'
import { Observed, together } from '../telemetry/metrics'

const connections = new Observed<'db.client.connection.state'>('gauge', {
  name: 'db.client.connection.count',
  description: 'Connections to PostgreSQL, by state: idle or used',
  unit: '{connection}',
  labels: ['db.client.connection.state'],
})
const waiting = new Observed('gauge', {
  name: 'db.client.connection.pending_requests',
  description: 'Queries and transactions waiting for a connection to PostgreSQL',
  unit: '{request}',
})

/** Reports metrics of a connection pool until disposed of. */
export function observePool(pool: Pool): Disposable {
  return together([
    connections.observe((report) => {
      report(pool.idleCount, { 'db.client.connection.state': 'idle' })
      report(pool.totalCount - pool.idleCount, { 'db.client.connection.state': 'used' })
    }),
    waiting.observe((report) => report(pool.waitingCount)),
  ])
}
