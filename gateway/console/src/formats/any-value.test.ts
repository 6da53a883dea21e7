import fc from 'fast-check'
import { anyText, readAny } from './any-value'

describe('a value of any type', () => {
  it('is parsed back from its text: numbers, booleans, coded lists and other text', () => {
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
    'is text for %j',
    (text) => {
      expect(readAny(text)).toBe(text)
    },
  )

  it('has an empty text if it is null or undefined', () => {
    expect([null, undefined, ''].map(anyText)).toEqual(['', '', ''])
  })
})
