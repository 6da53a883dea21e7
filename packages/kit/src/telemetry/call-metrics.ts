import { status as Status } from '@grpc/grpc-js'
import { Histogram, isMetering, secondsBounds } from './metrics'

const durations = new Histogram(
  {
    name: 'rpc.server.call.duration',
    description: 'Duration of calls, from arrival to completion, by RPC and status',
    unit: 's',
    labels: ['rpc.method', 'rpc.response.status_code'],
  },
  secondsBounds,
)

/** The moment at which a call begins, for `countCall`; 0 while nobody wants to know. */
export function noteBegin(): number {
  return isMetering() ? performance.now() : 0
}

/** Counts a call that is over; `path` is that of an RPC that there is. */
export function countCall(path: string, status: Status, begun: number): void {
  if (begun === 0) return
  durations.record((performance.now() - begun) / 1_000, {
    'rpc.method': path.slice(1),
    'rpc.response.status_code': Status[status],
  })
}
