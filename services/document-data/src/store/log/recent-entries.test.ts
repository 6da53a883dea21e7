import { ByteBudget } from '../sqlite/byte-budget'
import type { LogEntry } from './log'
import { RecentEntries } from './recent-entries'

const entry = (seq: number): LogEntry => ({
  seq,
  time: 0,
  user: 1,
  keyId: 0,
  cause: 1,
  traceparent: '',
})

function entriesOf(seqs: readonly number[], budget = new ByteBudget(10_000)): RecentEntries {
  const recent = new RecentEntries(budget)
  for (const seq of seqs) recent.add(entry(seq), 100)
  return recent
}

it('gives the entries of a batch back', () => {
  const recent = entriesOf([5, 6, 7, 8])

  expect(recent.find({ after: 5, upTo: 7 })).toEqual([entry(6), entry(7)])
})

it.each([
  ['begins before what is remembered', { after: 3, upTo: 7 }],
  ['ends after what is remembered', { after: 5, upTo: 9 }],
])('gives nothing for a batch that %s', (_, range) => {
  expect(entriesOf([5, 6, 7, 8]).find(range)).toBeUndefined()
})

it('forgets what is confirmed', () => {
  const recent = entriesOf([5, 6, 7, 8])

  recent.confirm(6)

  expect(recent.find({ after: 5, upTo: 7 })).toBeUndefined()
  expect(recent.find({ after: 6, upTo: 8 })).toEqual([entry(7), entry(8)])
})

it('forgets all of a document when there is no room for its next entry, and goes on with those after it', () => {
  const recent = entriesOf([1, 2, 3], new ByteBudget(650))

  expect(recent.find({ after: 0, upTo: 2 })).toBeUndefined()
  recent.add(entry(4), 100)
  expect(recent.find({ after: 3, upTo: 4 })).toEqual([entry(4)])
})

it('gives back the room of what it forgets', () => {
  const budget = new ByteBudget(600)
  const recent = entriesOf([1, 2], budget)

  recent.confirm(1)
  recent.clear()

  expect(budget.take(600)).toBe(true)
})
