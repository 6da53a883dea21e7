import { Cause } from '@sheaf/protos/sheaf/events/v1/changes'
import fc from 'fast-check'
import { mergeChanges, type DocumentChanges } from './key-changes'

const document = (docId: string, times: readonly number[], hasMore = false): DocumentChanges => ({
  docId,
  name: docId.toUpperCase(),
  hasMore,
  changes: times.map((timeMs, index) => ({
    seq: times.length - index,
    timeMs,
    cause: Cause.API,
    tables: [],
    truncated: false,
  })),
})

const shown = (page: ReturnType<typeof mergeChanges>) => [
  page.changes.map(({ docId, seq }) => `${docId}${seq}`).join(' '),
  page.next,
]

describe('the changes of several documents', () => {
  it('are merged by time, then document, then position', () => {
    const documents = [document('b', [9, 5, 5]), document('a', [7, 5])]
    expect(shown(mergeChanges(documents, 10))).toEqual(['b3 a2 a1 b2 b1', null])
    expect(shown(mergeChanges(documents, 3))).toEqual(['b3 a2 a1', '5_1_a'])
    expect(mergeChanges(documents, 1).changes).toEqual([
      {
        docId: 'b',
        docName: 'B',
        seq: 3,
        time: '1970-01-01T00:00:00.009Z',
        cause: 'api',
        tables: [],
      },
    ])
  })

  it('end where one of them may have further ones', () => {
    const documents = [document('a', [9, 6], true), document('b', [8, 7, 3])]
    expect(shown(mergeChanges(documents, 10))).toEqual(['a2 b3 b2 a1', '6_1_a'])
  })

  it('are none without any', () => {
    expect(mergeChanges([document('a', [])], 10)).toEqual({ changes: [], next: null })
  })

  it('lead on whenever something is left out', () => {
    const times = fc.array(fc.nat(5), { maxLength: 6 }).map((list) => list.sort((a, b) => b - a))
    const documents = fc.tuple(times, times, fc.boolean(), fc.boolean())
    fc.assert(
      fc.property(documents, fc.integer({ min: 1, max: 15 }), ([a, b, moreA, moreB], limit) => {
        const read = [
          document('a', a, moreA && a.length > 0),
          document('b', b, moreB && b.length > 0),
        ]
        const { changes, next } = mergeChanges(read, limit)
        const isWhole = read.every(({ hasMore }) => !hasMore) && a.length + b.length <= limit
        expect(next === null).toBe(isWhole)
        expect(changes.length).toBeLessThanOrEqual(limit)
      }),
    )
  })
})
