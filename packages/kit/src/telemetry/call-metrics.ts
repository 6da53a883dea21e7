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

/** Returns the start time of a call for `countCall`; 0 while metrics are off. */
export function noteBegin(): number {
  return isMetering() ? performance.now() : 0
}

/** Records a call that has ended. `path` must be that of an existing RPC, which bounds the number of label values. */
export function countCall(path: string, status: Status, begun: number): void {
  if (begun === 0) return
  durations.record((performance.now() - begun) / 1_000, {
    'rpc.method': path.slice(1),
    'rpc.response.status_code': Status[status],
  })
}
