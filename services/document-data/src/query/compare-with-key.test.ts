import fc from 'fast-check'
import { compareWithKey } from './compare-with-key'
import { PLAIN, sortKey } from './sort-keys'

const letters = [...'aAbBéÉﬁ①ｱガ각ΣσςΌЙй“”’–\0\u0001\u0002\u0003 1~\u{1d4d0}\u0301\u{10ffff}']
const text = fc.oneof(
  fc.array(fc.constantFrom(...letters), { maxLength: 5 }).map((chosen) => chosen.join('')),
  fc.string({ unit: 'binary' }),
)
const keyOf = (of: string) => sortKey(of) ?? ''

it('compares text with a key as the key of the text does, or leaves it open', () => {
  fc.assert(
    fc.property(text, text, (one, other) => {
      const found = compareWithKey(one, keyOf(other))
      if (found !== 0)
        expect(Math.sign(Buffer.compare(Buffer.from(keyOf(one)), Buffer.from(keyOf(other))))).toBe(
          found,
        )
    }),
    { numRuns: 3_000 },
  )
})

it('decides by the first letter in which they differ, in any script', () => {
  expect(compareWithKey('“Ada”', keyOf('“Bob”'))).toBe(-1)
  expect(compareWithKey('Яна', keyOf('Анна'))).toBe(1)
  expect(compareWithKey('Élan', keyOf('Eva'))).toBe(-1)
  expect(compareWithKey('Eva', keyOf('Eva'))).toBe(0)
  expect(compareWithKey(null, keyOf('Eva'))).toBe(0)
})

it('has no plain character that decomposes, has case or combines', () => {
  for (let unit = 0x80; unit <= 0xffff; unit++) {
    const character = String.fromCharCode(unit)
    if (!PLAIN.test(character)) continue
    expect(character.normalize('NFKD').toLowerCase().replace(/\p{M}/gu, '')).toBe(character)
    expect(character.toUpperCase()).toBe(character)
  }
})
