import { instant } from '@sheaf/kit/lease-clock'
import type { AssignHomeDocumentRequest } from '@sheaf/protos/sheaf/directory/v1/homes'
import { DirectoryLease } from './home-lease'

/** Blocks the process, as when it is stopped: no timer fires meanwhile. */
const stopFor = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

const opened: DirectoryLease[] = []

function open() {
  const lease = new DirectoryLease(
    'a',
    { assignHomeDocument: () => Promise.reject(new Error('not asked')) },
    { token: () => Promise.resolve('') },
  )
  opened.push(lease)
  let ended = 0
  lease.onEnded(() => ended++)
  return { lease, ended: () => ended }
}

afterEach(() => {
  jest.restoreAllMocks()
  for (const lease of opened.splice(0)) lease[Symbol.dispose]()
})

describe('the end of a lease', () => {
  it.each([
    ['the process was stopped', () => void stopFor(60)],
    [
      'the clock was set',
      () => {
        const now = Date.now()
        jest.spyOn(Date, 'now').mockReturnValue(now + 3_600_000)
      },
    ],
  ])('is told to those who wait under it before it is granted again, when %s', (_, interrupt) => {
    const { lease, ended } = open()
    lease.extend(instant(), 50)
    const { period } = lease
    const told = ended()
    interrupt()
    expect(lease.isHeld()).toBe(false)
    lease.extend(instant(), 60_000)
    expect(lease.period).toBe(period + 1)
    expect(ended()).toBe(told + 1)
  })

  it('is told like its beginning to those who follow it', () => {
    const { lease } = open()
    const told: boolean[] = []
    lease.onChanged((isHeld) => told.push(isHeld))
    lease.extend(instant(), 50)
    lease.extend(instant(), 60)
    expect(told).toEqual([false, true])
    stopFor(80)
    lease.extend(instant(), 60_000)
    expect(told).toEqual([false, true, false, true])
  })

  it('is not told while it is renewed in time', () => {
    const { lease, ended } = open()
    lease.extend(instant(), 60_000)
    const { period } = lease
    const told = ended()
    lease.extend(instant(), 60_000)
    expect([lease.period, ended()]).toEqual([period, told])
  })
})

it('an instance that only looks for a document does not say that it is about to use it', async () => {
  const assigned = { home: 'b', assignment: 3, format: 13, writeFormat: 14, pinned: false }
  const assignHomeDocument = jest.fn(({ docId }: AssignHomeDocumentRequest) =>
    Promise.resolve({ ...assigned, homeAddress: `${docId}.test` }),
  )
  using lease = new DirectoryLease(
    'a',
    { assignHomeDocument },
    { token: () => Promise.resolve('') },
  )
  await lease.assign('doc')
  expect(await lease.find('doc')).toMatchObject({ home: 'b', assignment: 3 })
  expect(assignHomeDocument.mock.calls.map(([{ home }]) => home)).toEqual(['a', undefined])
})
