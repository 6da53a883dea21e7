import fc from 'fast-check'
import type { KeyValue } from '../../query/cursor'
import { ByteBudget } from '../sqlite/byte-budget'
import type { ReadPlan } from '../reads/read-plan'
import { ReadCache } from './read-cache'

const MIB = 1024 * 1024
const page: ReadPlan = {
  from: '"T"',
  frame: { head: '{', separator: ',', tail: '}', openTail: '' },
  row: "'{}'",
  where: '1',
  order: { keys: [], sql: '"id"', terms: [], params: [] },
  inRanges: true,
  limit: 10,
  offset: 0,
  params: [],
}
const reading = (text: string) => jest.fn(() => Buffer.from(text))

it('are read once until they are forgotten', () => {
  const replies = new ReadCache(new ByteBudget(MIB))
  const first = reading('one')
  const second = reading('two')

  expect(replies.get(page, first)?.toString()).toBe('one')
  expect(replies.get({ ...page }, second)?.toString()).toBe('one')
  replies.clear()
  expect(replies.get(page, second)?.toString()).toBe('two')
})

it('are told apart by every value of the query', () => {
  const value = fc.oneof(fc.string(), fc.double({ noNaN: true }), fc.bigInt(), fc.constant(null))
  const params = fc.array(value, { maxLength: 3 })
  fc.assert(
    fc.property(params, params, (one, other) => {
      fc.pre(one.length !== other.length || one.some((item, i) => !Object.is(item, other[i])))
      const replies = new ReadCache(new ByteBudget(MIB))
      replies.get({ ...page, params: one }, reading('one'))

      const differs = JSON.stringify(one, asText) !== JSON.stringify(other, asText)
      const got = replies.get({ ...page, params: other }, reading('other'))?.toString()

      expect(got).toBe(differs ? 'other' : 'one')
    }),
  )
  function asText(_key: string, item: unknown) {
    return typeof item === 'bigint' ? `bigint ${item}` : item
  }
})

it('are told apart by where a page begins, also where JSON would write the same', () => {
  const value = fc.oneof(
    fc.constantFrom<KeyValue>(null, Infinity, -Infinity, 'Infinity', 'null', 5, '5', '5n', ''),
    fc.double({ noNaN: true }),
  )
  const position = fc.tuple(value, fc.integer())
  fc.assert(
    fc.property(position, position, (one, other) => {
      const replies = new ReadCache(new ByteBudget(MIB))
      replies.get(pageAfter(one), reading('one'))

      const isSame = one.every((item, i) => item === other[i])
      const got = replies.get(pageAfter(other), reading('other'))?.toString()

      expect(got).toBe(isSame ? 'one' : 'other')
    }),
  )
  function pageAfter(after: readonly KeyValue[]): ReadPlan {
    return { ...page, extras: { counted: false, page: { after } } }
  }
})

it('are as many as there is room for', () => {
  const budget = new ByteBudget(MIB)
  const replies = new ReadCache(budget)
  for (let limit = 1; limit < 100; limit++)
    replies.get({ ...page, limit }, reading('x'.repeat(100)))

  expect(budget.take(MIB - 32 * 100)).toBe(true)
  expect(replies.get({ ...page, limit: 1 }, reading('read again'))?.toString()).toBe('read again')
  expect(replies.get({ ...page, limit: 99 }, reading('read again'))?.toString()).not.toBe(
    'read again',
  )
})

it('give their room back', () => {
  const budget = new ByteBudget(1000)
  const replies = new ReadCache(budget)
  replies.get(page, reading('x'.repeat(1000)))
  replies.clear()

  expect(budget.take(1000)).toBe(true)
})

it('that are large are not kept', () => {
  const replies = new ReadCache(new ByteBudget(MIB))
  replies.get(page, reading('x'.repeat(100_000)))

  expect(replies.get(page, reading('read again'))?.toString()).toBe('read again')
})

it('are refused when they are too long for one piece, and not read again for that', () => {
  const replies = new ReadCache(new ByteBudget(MIB))
  const read = reading('x'.repeat(MIB + 1))
  expect(replies.get(page, read)).toBeUndefined()
  replies.clear()
  expect(replies.get(page, read)).toBeUndefined()
  expect(read).toHaveBeenCalledTimes(1)
  expect(replies.get({ ...page, limit: 9 }, reading('short'))?.toString()).toBe('short')
})
