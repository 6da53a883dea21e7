import fc from 'fast-check'
import { FairShare, type Full, type Holder } from './fair-share'

/** Takes amounts until one is refused, and returns how many were admitted and why not more. */
function fill(share: FairShare, holder: (item: number) => Holder): [number, Full | undefined] {
  for (let count = 0; count < 10_000; count++) {
    const full = share.check(holder(count), 1)
    if (full) return [count, full]
    share.take(holder(count), 1)
  }
  return [10_000, undefined]
}

describe('a fair share', () => {
  it.each<[string, (item: number) => Holder, number, Full]>([
    ['one user', () => ({ user: 7 }), 25, 'user'],
    ['one user with many documents', (item) => ({ user: 7, document: `d${item}` }), 25, 'user'],
    ['many users of one document', (item) => ({ user: item, document: 'd' }), 25, 'document'],
    ['one network', () => ({ network: '10.0.0.1' }), 13, 'network'],
    ['anonymous callers', (item) => ({ network: `n${item}`, isAnonymous: true }), 50, 'anonymous'],
    ['many users', (item) => ({ user: item, document: `d${item}` }), 100, 'whole'],
  ])('leaves room beside %s', (_, holder, admitted, full) => {
    expect(fill(new FairShare(100), holder)).toEqual([admitted, full])
  })

  it('is left for others beside a few users who hold all that they may', () => {
    const share = new FairShare(400)
    expect(fill(share, (item) => ({ user: item % 4 }))).toEqual([350, 'user'])
    expect(fill(share, () => ({ user: 7 }))).toEqual([25, 'user'])
    // One who holds little gets what is left.
    expect(fill(share, (item) => ({ user: 10 + (item % 20) }))).toEqual([25, 'whole'])
  })

  it('of a small resource is at least one, or what is asked for', () => {
    expect(fill(new FairShare(2), () => ({ user: 1 }))).toEqual([1, 'user'])
    expect(fill(new FairShare(4, 2), () => ({ user: 1 }))).toEqual([2, 'user'])
    expect(fill(new FairShare(1, 2), () => ({ user: 1 }))).toEqual([1, 'whole'])
  })

  it('admits one item larger than the share, and one larger than the total, when nothing is held', () => {
    const share = new FairShare(100)
    expect(share.check({ user: 1 }, 150)).toBeUndefined()
    share.take({ user: 1 }, 60)
    expect(share.check({ user: 1 }, 60, 60)).toBeUndefined()
    expect(share.check({ user: 1 }, 1)).toBe('user')
    expect(share.check({ user: 2 }, 60)).toBe('whole')
    expect(share.check({ user: 2 }, 40)).toBeUndefined()
  })

  it('is exact whatever is taken and given, and forgets who holds nothing', () => {
    const holders = fc.record({
      user: fc.option(fc.nat(3), { nil: undefined }),
      document: fc.option(fc.constantFrom('a', 'b'), { nil: undefined }),
      network: fc.option(fc.constantFrom('n', 'm'), { nil: undefined }),
      isAnonymous: fc.boolean(),
    })
    fc.assert(
      fc.property(fc.array(fc.tuple(holders, fc.integer({ min: 1, max: 9 }))), (items) => {
        const share = new FairShare(40)
        const kept: [Holder, number][] = []
        for (const [holder, amount] of items)
          if (!share.check(holder, amount)) {
            share.take(holder, amount)
            kept.push([holder, amount])
          }
        expect(share.used).toBeLessThanOrEqual(40)
        for (const user of [0, 1, 2, 3]) {
          const own = kept.filter(([holder]) => holder.user === user)
          expect(share.heldBy('user', user)).toBe(own.reduce((sum, [, amount]) => sum + amount, 0))
          expect(share.heldBy('user', user)).toBeLessThanOrEqual(10)
        }
        for (const [holder, amount] of kept) share.give(holder, amount)
        expect(share.used).toBe(0)
        expect(fill(share, () => ({ user: 0, document: 'a', network: 'n' }))).toEqual([
          5,
          'network',
        ])
      }),
    )
  })
})
