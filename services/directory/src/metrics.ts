import { Observed } from '@sheaf/kit/telemetry/metrics'
import type { HomeAssigner } from './leases/home-assigner'

const reassignments = new Observed('counter', {
  name: 'sheaf.home.reassignments',
  description:
    'Documents that were assigned to another instance, since the lease of theirs had ended',
  unit: '{document}',
})

/** Reports the metrics of directory until disposed of. */
export function observeHomes(assigner: HomeAssigner): Disposable {
  return reassignments.observe((tell) => tell(assigner.reassigned))
}
