import fc from 'fast-check'
import { parseQuery } from './query'

describe('parseQuery', () => {
  it('gives back what was encoded', () => {
    const text = fc.string({ unit: 'grapheme' })
    const pairs = fc.uniqueArray(fc.tuple(text, text), { selector: ([name]) => name })
    fc.assert(
      fc.property(pairs, (all) => {
        const encoded = all.map((pair) => pair.map(encodeURIComponent).join('=')).join('&')
        const query = parseQuery(`/api/x?${encoded}`)
        // A pair of two empty texts is `=`, which is read as a name.
        for (const [name, value] of all) expect(query[name]).toBe(value)
      }),
    )
  })

  it('reads a plus as a blank, and a name alone as empty', () => {
    expect({ ...parseQuery('/x?a=b+c&d&&e=') }).toEqual({ a: 'b c', d: '', e: '' })
  })

  it('lists the values of a name that comes again', () => {
    expect(parseQuery('/x?a=1&a=2&a=3').a).toEqual(['1', '2', '3'])
  })

  it('has no names that it was not given', () => {
    expect(parseQuery('/x').a).toBeUndefined()
    expect(parseQuery('/x?a').constructor).toBeUndefined()
    expect(parseQuery('/x?__proto__=1').__proto__).toBe('1')
  })

  it('refuses an escape that means nothing', () => {
    for (const url of ['/x?a=%', '/x?a=%ff', '/x?%zz=1'])
      expect(() => parseQuery(url)).toThrow(/percent-encoding/)
  })
})
