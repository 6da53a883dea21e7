import { eventually } from '@sheaf/testkit/eventually'
import { createLogger } from '@sheaf/kit/logger'
import type { HomeChange } from '@sheaf/protos/sheaf/directory/v1/homes'
import { causes, type LogEntry } from '../store/log/log'
import { ChangeReports } from './change-reports'

function entry(time: number, user: number, cause: keyof typeof causes = 'api'): LogEntry {
  return { seq: time + 2, time, user, keyId: 0, cause: causes[cause], traceparent: '' }
}

/** Reports to a directory that answers the first calls with errors. */
function open({ failures = 0, gatherMs = 1 } = {}) {
  const calls: HomeChange[][] = []
  const reports = new ChangeReports({
    homes: {
      reportHomeChanges: ({ changes }) => {
        calls.push(changes)
        return calls.length <= failures ? Promise.reject(new Error('away')) : Promise.resolve({})
      },
    },
    systemTokens: { token: () => Promise.resolve('token') },
    log: createLogger('test'),
    gatherMs,
  })
  return { reports, calls }
}

it('reports the last change of each document, and neither creations nor what formulas computed later', async () => {
  const { reports, calls } = open({ gatherMs: 50 })
  reports.note('a', [entry(1, 5), entry(2, 6)])
  reports.note('b', [entry(3, 7), entry(4, 0, 'formula')])
  reports.note('c', [entry(5, 0, 'formula')])
  reports.note('created', [{ ...entry(5, 5), seq: 1 }])
  reports.note('a', [entry(6, 8, 'undo')])
  await eventually(() => expect(calls).toHaveLength(1))
  expect(calls[0]).toEqual([
    { docId: 'b', timeMs: 3, userId: 7 },
    { docId: 'a', timeMs: 6, userId: 8 },
  ])
  await reports[Symbol.asyncDispose]()
  expect(calls).toHaveLength(1)
})

it('repeats a report that failed, unless there is a later change', async () => {
  const { reports, calls } = open({ failures: 1 })
  reports.note('a', [entry(1, 5)])
  reports.note('b', [entry(2, 5)])
  await eventually(() => expect(calls).toHaveLength(1))
  reports.note('a', [entry(3, 6)])
  await eventually(() => expect(calls).toHaveLength(2))
  expect(calls[1]).toEqual([
    { docId: 'b', timeMs: 2, userId: 5 },
    { docId: 'a', timeMs: 3, userId: 6 },
  ])
  await reports[Symbol.asyncDispose]()
})

it('reports what is noted when the instance stops, in calls of at most 1,000 documents', async () => {
  const { reports, calls } = open({ gatherMs: 60_000 })
  for (let n = 0; n < 1_500; n++) reports.note(String(n), [entry(n, 1)])
  await reports[Symbol.asyncDispose]()
  expect(calls.map(({ length }) => length)).toEqual([1_000, 500])
})

it('keeps the latest 10,000 documents while directory is away', async () => {
  const { reports, calls } = open({ failures: Infinity, gatherMs: 60_000 })
  for (let n = 0; n < 10_001; n++) reports.note(String(n), [entry(n, 1)])
  await reports[Symbol.asyncDispose]()
  expect(calls[0]?.[0]?.docId).toBe('1')
})
