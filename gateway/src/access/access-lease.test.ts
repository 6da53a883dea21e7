import { eventually } from '@sheaf/testkit/eventually'
import type { Logger } from '@sheaf/kit/logger'
import type { HoldLeaseRequest, HoldLeaseResponse } from '@sheaf/protos/sheaf/directory/v1/access'
import { AccessLease } from './access-lease'

/** A directory that refuses leases while it is down, and counts the attempts. */
class FakeDirectory {
  isDown = true
  attempts = 0
  private readonly ended = new Set<() => void>()

  async *holdLease(requests: AsyncIterable<HoldLeaseRequest>): AsyncGenerator<HoldLeaseResponse> {
    this.attempts++
    if (this.isDown) throw new Error('connection refused')
    const renewals = requests[Symbol.asyncIterator]()
    await renewals.next()
    yield { accessVersion: 1, leaseMs: 2_000, endedHomeAddresses: [] }
    await new Promise<void>((resolve) => this.ended.add(resolve))
    await renewals.return?.()
  }

  cut(): void {
    for (const end of this.ended) end()
  }
}

/** Starts a lease, and collects the levels of its log. */
function start(directory: FakeDirectory) {
  const levels: string[] = []
  const log = { warn: () => levels.push('warn'), debug: () => levels.push('debug') }
  const system = { token: () => Promise.resolve('token') }
  const lease = new AccessLease(directory, system as never, log as unknown as Logger, () => {})
  lease.start()
  return {
    lease,
    levels,
    warnings: () => levels.filter((level) => level === 'warn').length,
    [Symbol.asyncDispose]: () => lease[Symbol.asyncDispose](),
  }
}

describe('a lease that is not held', () => {
  it('is not worth a warning while directory is starting, and worth one when it is lost', async () => {
    const directory = new FakeDirectory()
    await using gateway = start(directory)
    const { lease, levels, warnings } = gateway
    await eventually(() => directory.attempts > 2)
    directory.isDown = false
    await eventually(() => lease.isHeld())
    expect(levels).not.toContain('warn')
    directory.isDown = true
    directory.cut()
    const before = directory.attempts
    await eventually(() => directory.attempts > before + 2)
    expect(warnings()).toBe(1)
  })

  it('is worth one warning when directory does not start', async () => {
    await using gateway = start(new FakeDirectory())
    const { levels, warnings } = gateway
    await eventually(() => warnings() === 1, { timeoutMs: 20_000 })
    const seen = levels.length
    await eventually(() => levels.length > seen + 1, { timeoutMs: 20_000 })
    expect(warnings()).toBe(1)
  })
})
