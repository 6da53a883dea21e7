import fc from 'fast-check'
import { splitJsonList } from './json-list'

describe('splitJsonList', () => {
  it('gives the items of any list as they are written', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), fc.constantFrom(undefined, 1, '\t'), (list, space) => {
        const items = splitJsonList(JSON.stringify(list, undefined, space))
        expect(items.map((item) => JSON.parse(item) as unknown)).toEqual(
          JSON.parse(JSON.stringify(list)),
        )
      }),
    )
  })

  it('leaves numbers and escapes as they are', () => {
    const items = [
      '12345678901234567890',
      '1.10',
      '1e400',
      '"\\u00e9\\\\"',
      '["L","a,\\"]"]',
      'true',
    ]
    expect(splitJsonList(`[${items.join(',')}]`)).toEqual(items)
    expect(splitJsonList(' [ 1 , {"a": [2, 3]} ] ')).toEqual(['1', '{"a": [2, 3]}'])
  })

  it('refuses what is no list', () => {
    for (const text of ['', '{}', '[', ']', '[1', '[1,]', '[,1]', '[[1]', '["a]', '["\\"]'])
      expect(() => splitJsonList(text)).toThrow(SyntaxError)
  })
})
