import fc from 'fast-check'
import type { BalancedHome } from '../db/homes'
import { findSurplus } from './home-balance'

const home = (name: string, change: Partial<BalancedHome> = {}): BalancedHome => ({
  name,
  documents: 0,
  load: 0,
  freeBytes: 1000,
  ...change,
})
const nothing = { to: '', documents: 0, loadShare: 0 }

describe('what an instance is to hand over', () => {
  it('is its surplus of documents, to the instance with the fewest', () => {
    const homes = [home('a', { documents: 30 }), home('b', { documents: 6 }), home('c')]
    expect(findSurplus('a', homes)).toEqual({ to: 'c', documents: 12, loadShare: 0 })
    expect(findSurplus('b', homes)).toEqual(nothing)
  })

  it('is a share of its load when the documents are spread evenly', () => {
    const homes = [home('a', { documents: 5, load: 0.9 }), home('b', { documents: 5, load: 0.1 })]
    const { to, documents, loadShare } = findSurplus('a', homes)
    expect([to, documents]).toEqual(['b', 0])
    expect(loadShare).toBeCloseTo(0.4 / 0.9)
    expect(findSurplus('b', homes)).toEqual(nothing)
  })

  it.each([
    [
      'the difference is small',
      [home('a', { documents: 12, load: 0.3 }), home('b', { documents: 10 })],
    ],
    ['there is no other instance', [home('a', { documents: 100, load: 1 })]],
    [
      'the other one has little room',
      [home('a', { documents: 100 }), home('b', { freeBytes: 400 })],
    ],
    ['it is not among the instances', [home('b'), home('c')]],
  ])('is nothing when %s', (_, homes) => {
    expect(findSurplus('a', homes)).toEqual(nothing)
  })

  it('spreads any documents evenly after a few rounds, in any order, and then is nothing', () => {
    const counts = fc.array(fc.nat(2_000), { minLength: 2, maxLength: 8 })
    fc.assert(
      fc.property(counts, fc.infiniteStream(fc.nat()), (initial, order) => {
        const documents = new Map(initial.map((count, index) => [`home-${index}`, count]))
        const list = () => [...documents].map(([name, count]) => home(name, { documents: count }))
        const round = () => {
          const names = [...documents.keys()].sort(() => (order.next().value % 2) - 0.5)
          const moves = names.map((name) => {
            const { to, documents: count } = findSurplus(name, list())
            if (count > 0) {
              documents.set(name, (documents.get(name) ?? 0) - count)
              documents.set(to, (documents.get(to) ?? 0) + count)
            }
            return count
          })
          return Math.max(...moves)
        }
        let rounds = 0
        while (round() > 0) expect(++rounds).toBeLessThan(200)
        const mean = initial.reduce((sum, count) => sum + count, 0) / initial.length
        for (const count of documents.values()) expect(count).toBeLessThanOrEqual(mean * 1.2 + 3)
      }),
    )
  })
})
