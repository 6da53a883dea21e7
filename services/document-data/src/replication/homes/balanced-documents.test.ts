import fc from 'fast-check'
import { pickBusy, pickLeastUsed } from './balanced-documents'

describe('documents that are handed over to balance instances', () => {
  it('are those with the fewest calls when they are too many', () => {
    const calls: Readonly<Record<string, number>> = { a: 5, b: -1, c: 0, d: 9 }
    expect(pickLeastUsed(3, ['a', 'b', 'c', 'd'], (docId) => calls[docId] ?? 0)).toEqual([
      'b',
      'c',
      'a',
    ])
  })

  it('are the busiest that fit into the share when there is too much load', () => {
    const calls = new Map([
      ['hot', 60],
      ['warm', 25],
      ['mild', 10],
      ['idle', 0],
      ['cold', 5],
    ])
    expect(pickBusy(0.4, calls)).toEqual(['warm', 'mild', 'cold'])
    expect(pickBusy(0.04, calls)).toEqual([])
  })

  it('leave one that is alone the load where it is', () => {
    expect(pickBusy(0.5, new Map([['hot', 100]]))).toEqual([])
  })

  it('have no more than the share of the calls, whatever the calls are', () => {
    const counts = fc.array(fc.nat(1_000), { maxLength: 30 })
    fc.assert(
      fc.property(counts, fc.double({ min: 0, max: 1, noNaN: true }), (list, share) => {
        const calls = new Map(list.map((count, index) => [`doc-${index}`, count]))
        const total = list.reduce((sum, count) => sum + count, 0)
        const picked = pickBusy(share, calls)
        const given = picked.reduce((sum, docId) => sum + (calls.get(docId) ?? 0), 0)
        expect(given).toBeLessThanOrEqual(share * total)
        expect(new Set(picked).size).toBe(picked.length)
      }),
    )
  })
})
