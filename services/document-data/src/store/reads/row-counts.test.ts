import fc from 'fast-check'
import type { Operation } from '../log/log'
import { RowCounts } from './row-counts'

const rows = (kind: 'add_rows' | 'remove_rows', tableRef: number, count: number): Operation => ({
  kind,
  table: `T${tableRef}`,
  tableRef,
  rowIds: Array.from({ length: count }, (_, at) => at + 1),
  columns: [],
})
const table = (kind: 'add_table' | 'remove_table', tableRef: number) =>
  ({ kind, table: `T${tableRef}`, tableRef, column: '', columnRef: 0 }) as const

const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ add: fc.nat(5), table: fc.constantFrom(1, 2) }) },
  { weight: 3, arbitrary: fc.record({ remove: fc.nat(5), table: fc.constantFrom(1, 2) }) },
  { weight: 1, arbitrary: fc.record({ drop: fc.constantFrom(1, 2) }) },
  { weight: 3, arbitrary: fc.record({ learn: fc.constantFrom(1, 2), ago: fc.nat(4) }) },
)

describe('the kept numbers of rows', () => {
  it('are those of the tables, whatever is written, and whenever they were counted', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const counts = new RowCounts(0)
        // The true numbers at each log position.
        const history = [{ 1: 0, 2: 0 }]
        for (const one of steps) {
          const seq = history.length - 1
          const now = history[seq] ?? { 1: 0, 2: 0 }
          if ('learn' in one) {
            const at = Math.max(0, seq - one.ago)
            counts.learn(one.learn, at, history[at]?.[one.learn] ?? 0)
          } else {
            const { next, operation } = apply(now, one)
            history.push(next)
            counts.committed([{ seq: seq + 1, operations: [operation] }])
          }
          const present = history.at(-1)
          for (const ref of [1, 2] as const)
            expect([undefined, present?.[ref]]).toContain(counts.get(ref))
        }
      }),
    )
  })

  it('are known from the first count on', () => {
    const counts = new RowCounts(5)
    expect(counts.get(1)).toBeUndefined()
    counts.learn(1, 5, 100)
    counts.committed([{ seq: 6, operations: [rows('add_rows', 1, 3), rows('remove_rows', 1, 1)] }])
    expect(counts.get(1)).toBe(102)
  })

  it('are not taken from counts of long ago, nor of before a table was removed', () => {
    const counts = new RowCounts(0)
    counts.committed([{ seq: 1, operations: [table('remove_table', 1)] }])
    counts.committed([{ seq: 2, operations: [table('add_table', 1), rows('add_rows', 1, 4)] }])
    counts.learn(1, 0, 4)
    expect(counts.get(1)).toBeUndefined()
    for (let seq = 3; seq < 2_000; seq++)
      counts.committed([{ seq, operations: [rows('add_rows', 2, 1)] }])
    counts.learn(2, 2, 0)
    expect(counts.get(2)).toBeUndefined()
  })
})

type Numbers = Record<1 | 2, number>
type Write = { add: number; table: number } | { remove: number; table: number } | { drop: number }

function apply(now: Numbers, write: Write): { next: Numbers; operation: Operation } {
  if ('drop' in write) {
    const operation = table('remove_table', write.drop)
    return { next: { ...now, [write.drop]: 0 }, operation }
  }
  const ref = write.table as 1 | 2
  if ('add' in write)
    return {
      next: { ...now, [ref]: now[ref] + write.add },
      operation: rows('add_rows', ref, write.add),
    }
  const removed = Math.min(write.remove, now[ref])
  return {
    next: { ...now, [ref]: now[ref] - removed },
    operation: rows('remove_rows', ref, removed),
  }
}
