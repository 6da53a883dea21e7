import fc from 'fast-check'
import { readPageToken, writePageToken } from './page-token'

describe('a page token', () => {
  it('leads back to the keys that it was made of', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 100 }).filter((s) => !s.includes('\0'))
    fc.assert(
      fc.property(fc.boolean(), text, fc.integer(), (first, name, id) => {
        const token = writePageToken([first, name, id])
        expect(readPageToken(token, ['boolean', 'string', 'number'])).toEqual([first, name, id])
      }),
    )
  })

  it('with the smallest integer of PostgreSQL was refused', () => {
    expect(readPageToken(writePageToken([-(2 ** 31)]), ['number'])).toEqual([-(2 ** 31)])
  })

  it('that is absent leads to the first page', () => {
    expect(readPageToken(undefined, ['number'])).toBeUndefined()
  })

  it.each([
    ['no JSON', 'abc'],
    ['nothing', ''],
    ['keys of other types', writePageToken(['1'])],
    ['too many keys', writePageToken([1, 2])],
    ['a number that no row has', writePageToken([2 ** 40])],
  ])('of %s is refused', (_, token) => {
    expect(() => readPageToken(token, ['number'])).toThrow('page_token is invalid')
  })

  it('with a NUL is refused', () => {
    expect(() => readPageToken(writePageToken(['a\0b']), ['string'])).toThrow('page_token')
  })
})
