import fc from 'fast-check'
import { FairQueue } from './fair-queue'

const item = (user: string, id: number) => ({ user, id })
const always = () => true

describe('a fair queue', () => {
  it('takes from each user in turn, and from one user in order', () => {
    const queue = new FairQueue<ReturnType<typeof item>>()
    for (const id of [1, 2, 3]) queue.add(item('busy', id))
    queue.add(item('other', 1))
    queue.add(item('third', 1))
    const order = Array.from({ length: 5 }, () => queue.take(always))
    expect(order.map((taken) => taken && `${taken.user} ${taken.id}`)).toEqual([
      'busy 1',
      'other 1',
      'third 1',
      'busy 2',
      'busy 3',
    ])
    expect([queue.take(always), queue.size]).toEqual([undefined, 0])
  })

  it('skips what may not run, which keeps its turn', () => {
    const queue = new FairQueue<ReturnType<typeof item>>()
    queue.add(item('a', 1))
    queue.add(item('a', 2))
    queue.add(item('b', 1))
    expect(queue.take(({ id }) => id === 2)).toEqual(item('a', 2))
    expect(queue.take(({ user }) => user !== 'b')).toEqual(item('a', 1))
    expect(queue.items).toEqual([item('b', 1)])
  })

  it('lets no user wait for more than one item of each other, and loses none', () => {
    const users = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 40 })
    fc.assert(
      fc.property(users, fc.array(fc.nat(40)), (names, removed) => {
        const queue = new FairQueue<ReturnType<typeof item>>()
        const items = names.map(item)
        items.forEach((each) => queue.add(each))
        const gone = new Set(
          removed.map((index) => items[index]).filter((each) => each && queue.remove(each)),
        )
        expect(queue.size).toBe(items.length - gone.size)
        const taken: string[] = []
        const waiting = () => new Set(queue.items.map(({ user }) => user))
        const since = new Map<string, number>()
        for (;;) {
          const before = waiting()
          const next = queue.take(always)
          if (!next) break
          taken.push(next.user)
          for (const user of before) {
            since.set(user, user === next.user ? 0 : (since.get(user) ?? 0) + 1)
            expect(since.get(user)).toBeLessThan(3)
          }
        }
        expect(taken).toHaveLength(items.length - gone.size)
      }),
    )
  })
})
