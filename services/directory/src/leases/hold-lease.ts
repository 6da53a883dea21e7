import { AppError } from '@sheaf/kit/errors'
import type { HoldLeaseRequest, HoldLeaseResponse } from '@sheaf/protos/sheaf/directory/v1/access'
import { LEASE_MS, type AccessChanges } from './access-changes'
import type { EndedHomes } from './ended-homes'

/** A holder renews twice a second and reads at once; one that does not is disconnected. */
const MAX_UNSENT = 100

/**
 * Serves one holder of a lease: responds to each renewal, in order, and announces changes of access and ended leases of
 * instances in between. Unsent announcements are merged, so a slow holder costs no memory. Ends with the requests or the
 * signal.
 */
export async function* holdLease(
  { changes, endedHomes }: { readonly changes: AccessChanges; readonly endedHomes: EndedHomes },
  requests: AsyncIterable<HoldLeaseRequest>,
  signal: AbortSignal,
): AsyncGenerator<HoldLeaseResponse> {
  let announcement: number | undefined
  const ended = new Set<string>()
  let wake = () => {}
  let over: { error?: Error } | undefined
  const grants: HoldLeaseResponse[] = []
  const end = (error?: Error) => {
    over ??= { error }
    wake()
  }
  const unsubscribe = changes.subscribe((version) => {
    announcement = version
    wake()
  })
  const unsubscribeHomes = endedHomes.subscribe((addresses) => {
    for (const address of addresses) ended.add(address)
    wake()
  })
  const abort = () => end()
  signal.addEventListener('abort', abort, { once: true })
  if (signal.aborted) end()
  const onGrant = (grant: HoldLeaseResponse) => {
    if (grants.push(grant) > MAX_UNSENT)
      throw new AppError('too_many', 'LEASE_NOT_READ', 'the client does not read renewal responses')
    wake()
  }
  readRenewals(changes, requests, onGrant).then(() => end(), end)
  try {
    for (;;) {
      const grant = grants.shift()
      if (grant) yield grant
      else if (announcement !== undefined || ended.size > 0) {
        const accessVersion = announcement ?? changes.version
        const endedHomeAddresses = [...ended]
        announcement = undefined
        ended.clear()
        yield { accessVersion, leaseMs: 0, endedHomeAddresses }
      } else if (over) break
      else await new Promise<void>((resolve) => (wake = resolve))
    }
    if (over.error !== undefined && !signal.aborted) throw over.error
  } finally {
    signal.removeEventListener('abort', abort)
    unsubscribe()
    unsubscribeHomes()
  }
}

async function readRenewals(
  changes: AccessChanges,
  requests: AsyncIterable<HoldLeaseRequest>,
  onGrant: (grant: HoldLeaseResponse) => void,
): Promise<void> {
  // Leaving a `for await` with an error would destroy the stream before the error could be sent.
  const iterator = requests[Symbol.asyncIterator]()
  for (;;) {
    const next = await iterator.next()
    if (next.done) return
    const { holderId, droppedVersion } = next.value
    if (holderId === '' || holderId.length > 100 || droppedVersion < 0)
      throw new AppError('invalid', 'INVALID_LEASE', 'holder_id or dropped_version is invalid', {
        field: 'holder_id',
      })
    const accessVersion = await changes.renew(holderId, droppedVersion)
    onGrant({ accessVersion, leaseMs: LEASE_MS, endedHomeAddresses: [] })
  }
}
