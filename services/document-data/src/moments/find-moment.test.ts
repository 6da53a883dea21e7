import Database from 'better-sqlite3'
import fc from 'fast-check'
import { Connection } from '../store/sqlite/connections'
import { findMoment } from './find-moment'

const NOW = 1_000_000

/** A log with entries from `oldest` on at these times. */
function openLog(oldest: number, times: readonly number[]) {
  const connection = new Connection(new Database(':memory:'))
  connection.db.exec('CREATE TABLE _sheaf_log (seq INTEGER PRIMARY KEY, time INTEGER)')
  times.forEach((time, i) =>
    connection.prepare('INSERT INTO _sheaf_log VALUES (?, ?)').run(oldest + i, time),
  )
  return { connection, seq: oldest + times.length - 1 }
}

const logs = fc.record({
  oldest: fc.integer({ min: 1, max: 5 }),
  times: fc
    .array(fc.integer({ min: 10, max: 40 }), { minLength: 1, maxLength: 12 })
    .map((times) => times.sort((a, b) => a - b)),
})

it('is the last change that is not later than a time', () => {
  fc.assert(
    fc.property(logs, fc.integer({ min: 0, max: 50 }), ({ oldest, times }, value) => {
      const find = () =>
        findMoment(openLog(oldest, times), { moment: { $case: 'time', value } }, NOW)
      const index = times.findLastIndex((time) => time <= value)
      if (index < 0) expect(find).toThrow(`the oldest moment is change ${oldest}`)
      else expect(find()).toBe(oldest + index)
    }),
  )
})

it('is a change that the log holds', () => {
  const log = openLog(3, [10, 20, 30])
  const find = (value: number) => findMoment(log, { moment: { $case: 'seq', value } }, NOW)
  expect([find(3), find(5)]).toEqual([3, 5])
  expect(() => find(2)).toThrow('change 2 is no longer in the log')
  expect(() => find(6)).toThrow('change 6 is in the future')
  for (const value of [0, -1, 1.5]) expect(() => find(value)).toThrow('as_of.seq must be')
})

it('is not in the future', () => {
  const moment = { $case: 'time' as const, value: NOW + 1 }
  expect(() => findMoment(openLog(1, [10]), { moment }, NOW)).toThrow('the time is in the future')
  expect(() => findMoment(openLog(1, [10]), { moment: undefined }, NOW)).toThrow(
    'as_of must have a seq or a time',
  )
})
