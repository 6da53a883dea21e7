import { findSharedHistory } from './shared-history'

const at = (
  epoch: string,
  seq: number,
  ...origins: [epoch: string, seq: number, at: number][]
) => ({
  epoch,
  seq,
  origins: origins.map(([epoch, seq, at]) => ({ epoch, seq, at })),
})
/** A document with 9 entries. */
const source = at('s', 9)

describe('the shared history of two documents', () => {
  it.each([
    ['a document and itself', source, source, 'same', 9, 9],
    ['a document and a copy of it', source, at('c', 1, ['s', 9, 1]), 'same', 9, 1],
    ['a document that has changed, and its copy', source, at('c', 1, ['s', 7, 1]), 'left', 7, 1],
    ['a copy that has changed', source, at('c', 4, ['s', 9, 1]), 'right', 9, 1],
    ['both changed', at('c', 4, ['s', 7, 1]), source, 'both', 1, 7],
    ['a copy of a copy', at('d', 2, ['c', 3, 1], ['s', 9, 1]), source, 'left', undefined, 9],
    ['a copy of a new copy', at('d', 2, ['c', 1, 1], ['s', 8, 1]), source, 'both', 1, 8],
    ['two copies of one moment', at('c', 2, ['s', 5, 1]), at('d', 1, ['s', 5, 1]), 'left', 1, 1],
    [
      'copies of two moments',
      at('c', 1, ['s', 5, 1]),
      at('d', 1, ['s', 6, 1]),
      'right',
      1,
      undefined,
    ],
    [
      'a restored document and a former copy',
      at('r', 9, ['s', 8, 8]),
      at('c', 1, ['s', 5, 1]),
      'left',
      5,
      1,
    ],
    [
      'a copy made after the backup',
      at('r', 6, ['s', 6, 6]),
      at('c', 1, ['s', 8, 1]),
      'right',
      6,
      undefined,
    ],
    [
      'a copy of a restored document',
      at('c', 1, ['r', 9, 1], ['s', 6, 6]),
      at('r', 9, ['s', 6, 6]),
      'same',
      1,
      9,
    ],
  ])('is found for %s', (_, left, right, ...expected) => {
    const { summary, leftSeq, rightSeq } = findSharedHistory(left, right)
    expect([summary, leftSeq, rightSeq]).toEqual(expected)
  })

  it('is that of the latest state that both had', () => {
    const copy = at('d', 2, ['c', 3, 1], ['s', 9, 1])
    expect(findSharedHistory(copy, at('c', 5, ['s', 9, 1])).parent).toEqual({ epoch: 'c', seq: 3 })
    expect(findSharedHistory(copy, source).parent).toEqual({ epoch: 's', seq: 9 })
  })

  it('does not exist for documents that have no log in common', () => {
    const unrelated = { summary: 'unrelated' }
    expect(findSharedHistory(source, at('t', 9, ['u', 3, 1]))).toEqual(unrelated)
  })
})
