import { toUSVString } from 'node:util'
import fc from 'fast-check'
import { cutText, shorten } from './truncate-text'

describe('a text that is cut', () => {
  it.each([
    ['abc', 3, 'abc'],
    ['abcd', 3, 'abc'],
    ['ab😀', 3, 'ab'],
    ['ab😀', 4, 'ab😀'],
    ['a😀b', 3, 'a😀'],
    ['😀', 1, ''],
  ])('%s at %i is %s', (text, length, expected) => {
    expect(cutText(text, length)).toBe(expected)
  })

  it('never ends in half a character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.nat(20), (text, length) => {
        const cut = cutText(text, length)
        expect(toUSVString(cut)).toBe(cut)
        expect(text.startsWith(cut)).toBe(true)
        expect(cut.length).toBeGreaterThanOrEqual(Math.min(text.length, length) - 1)
        expect(cut.length).toBeLessThanOrEqual(length)
      }),
    )
  })
})

describe('input that an error message repeats', () => {
  it.each([
    ['short', 'short'],
    ['x'.repeat(40), 'x'.repeat(40)],
    ['x'.repeat(41), `${'x'.repeat(40)}…`],
    [`${'x'.repeat(39)}😀`, `${'x'.repeat(39)}…`],
    ['a\ud800', 'a\ufffd'],
  ])('%j becomes %j', (input, expected) => {
    expect(shorten(input)).toBe(expected)
  })

  it('may be longer where the caller says so', () => {
    expect(shorten('x'.repeat(60), 50)).toBe(`${'x'.repeat(50)}…`)
  })
})
