import fc from 'fast-check'
import { readPosition, cursorAt, takeFitting } from './answer-budget'

it('leads through all items, at least one at a time', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 40 })), fc.nat(100), (items, budget) => {
      const seen: string[] = []
      let cursor: string | undefined
      do {
        const start = readPosition(cursor)
        const { items: page, next } = takeFitting(items, start, budget)
        expect(page.length).toBeGreaterThan(items.length === 0 ? -1 : 0)
        seen.push(...page)
        cursor = cursorAt(next) ?? undefined
      } while (cursor !== undefined)
      expect(seen).toEqual(items)
    }),
  )
})

it('refuses cursors that it has not given', () => {
  for (const cursor of ['-1', '1.5', 'x', '9999999999', ' 1'])
    expect(() => readPosition(cursor)).toThrow('cursor')
})
