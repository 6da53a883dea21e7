import { createLogger } from '@sheaf/kit/logger'
import { instant, LeaseClock } from '@sheaf/kit/lease-clock'
import { ReportHomeRequest } from '@sheaf/protos/sheaf/directory/v1/homes'
import { eventually } from '@sheaf/testkit/eventually'
import { createTokenAuthority, type TokenAuthority } from '@sheaf/testkit/token-authority'
import { LeaseThread } from '../../src/replication/homes/lease-thread'
import { startStandInDirectory, type StandInDirectory } from '../support/stand-in-directory'
import { buildWorkers } from '../support/test-store'

const LEASE_MS = 2_000

/** A lease of which the event loop has reported once, and does not report again, as when it is blocked. */
function reportOnce(
  { directory, token }: { readonly directory: StandInDirectory; readonly token: string },
  maxBlockedMs: number,
  leaseMs = LEASE_MS,
) {
  const lease = new LeaseClock()
  lease.extend(instant(), leaseMs)
  const { address: directoryAddress } = directory
  const log = createLogger('test')
  const thread = new LeaseThread(lease, { directoryAddress, log, maxBlockedMs })
  const report = ReportHomeRequest.fromPartial({ name: 'a', replicated: true, startId: 'a-1' })
  thread.reported({ report: ReportHomeRequest.encode(report).finish(), token })
  return { lease, [Symbol.asyncDispose]: () => thread[Symbol.asyncDispose]() }
}

/** As reportOnce; the event loop is blocked once the thread runs, however long that takes. */
async function block(parts: Parameters<typeof reportOnce>[0], maxBlockedMs: number) {
  const blocked = reportOnce(parts, maxBlockedMs)
  await eventually(() => {
    blocked.lease.extend(instant(), LEASE_MS)
    return parts.directory.reports.length > 0
  })
  return blocked
}

describe('a lease whose instance is busy with one long task', () => {
  let authority: TokenAuthority
  let directory: StandInDirectory
  let token: string
  beforeAll(async () => {
    buildWorkers()
    authority = await createTokenAuthority()
    token = await authority.sign({ userId: 0, system: true })
  })
  beforeEach(async () => {
    directory = await startStandInDirectory(authority, 'a')
  })
  afterEach(() => directory[Symbol.asyncDispose]())

  it('lasts, without interruption, and ends when the task takes too long', async () => {
    await using blocked = await block({ directory, token }, 3 * LEASE_MS)
    const since = performance.now()
    await eventually(() => !blocked.lease.isHeld())
    expect(performance.now() - since).toBeGreaterThan(2 * LEASE_MS)
    expect(directory.reports.at(-1)).toMatchObject({ name: 'a', startId: 'a-1' })
  })

  it('is not renewed when it has ended', async () => {
    await using ended = reportOnce({ directory, token }, 60_000, LEASE_MS / 8)
    await using lasting = await block({ directory, token }, 60_000)
    await eventually(() => directory.reports.length >= 3)
    expect([ended.lease.isHeld(), lasting.lease.isHeld()]).toEqual([false, true])
  })

  it('ends when directory does not grant it again', async () => {
    await using refused = await block({ directory, token }, 60_000)
    directory.ended.add('a')
    await eventually(() => !refused.lease.isHeld())
  })
})
