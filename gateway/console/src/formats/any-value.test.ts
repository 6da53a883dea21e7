import fc from 'fast-check'
import { anyText, readAny } from './any-value'

describe('a value of any type', () => {
  it('is read from what it is edited as: numbers, yes or no, coded lists, and text that is none of these', () => {
    const list = fc.array(fc.oneof(fc.string(), fc.integer())).map((items) => ['L', ...items])
    const words = fc.string().filter((text) => !/^\s*(-?\d|true|false|\[)/.test(text))
    const value = fc.oneof(fc.integer(), fc.boolean(), list, words)
    fc.assert(
      fc.property(value, (given) => {
        expect(readAny(anyText(given))).toEqual(given)
      }),
    )
  })

  it.each(['[1,2]', '{"a":1}', '["long","x"]', '5 apples', '01', '=1+1', 'null', '[', '-'])(
    'is text where it is %j',
    (text) => {
      expect(readAny(text)).toBe(text)
    },
  )

  it('is edited as nothing where there is none', () => {
    expect([null, undefined, ''].map(anyText)).toEqual(['', '', ''])
  })
})
