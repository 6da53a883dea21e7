import fc from 'fast-check'
import { Quota } from './quota'

describe('Quota', () => {
  it('leaves something to others when one owner wants all', () => {
    const limit = new Quota(4)
    for (let i = 0; i < 2; i++) limit.take('busy', 1)
    expect(limit.check('busy', 1)).toBe('share')
    expect(limit.check('other', 1)).toBeUndefined()
  })

  it('leaves more to others when the share of an owner is smaller', () => {
    const limit = new Quota(4, 1)
    limit.take('busy', 1)
    expect(limit.check('busy', 1)).toBe('share')
    expect(limit.check('other', 1)).toBeUndefined()
  })

  it('is full for everybody when all of it is held', () => {
    const limit = new Quota(4)
    for (const owner of ['a', 'a', 'b', 'b']) limit.take(owner, 1)
    expect(limit.check('c', 1)).toBe('whole')
    limit.give('a', 1)
    expect(limit.check('c', 1)).toBeUndefined()
  })

  it('lets one thing in that is larger than all there is, and nothing beside it', () => {
    const limit = new Quota(4)
    expect(limit.check('a', 100)).toBeUndefined()
    limit.take('a', 100)
    expect(limit.check('b', 1)).toBe('whole')
    limit.give('a', 100)
    expect(limit.used).toBe(0)
  })

  it('takes one thing for the same when it comes in parts', () => {
    const limit = new Quota(4)
    limit.take('a', 3)
    expect(limit.check('a', 3)).toBe('share')
    expect(limit.check('a', 3, 3)).toBeUndefined()
  })

  it('never holds more than all there is, and all of it comes back', () => {
    const step = fc.record({ owner: fc.constantFrom('a', 'b', 'c'), amount: fc.nat(10) })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
        const limit = new Quota(20)
        const taken = steps.filter(({ owner, amount }) => {
          if (limit.check(owner, amount)) return false
          limit.take(owner, amount)
          return true
        })
        expect(limit.used).toBeLessThanOrEqual(20)
        for (const { owner, amount } of taken) limit.give(owner, amount)
        expect([limit.used, limit.heldBy('a')]).toEqual([0, 0])
      }),
    )
  })
})
