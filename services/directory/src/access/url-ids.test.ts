import { readDocumentRef } from './resolve'
import { newDocumentIds, requireUrlId } from './url-ids'

describe('requireUrlId', () => {
  it.each(['a', 'My-Doc', '2024-plan', 'x'.repeat(64)])('permits %j', (urlId) =>
    expect(requireUrlId(urlId)).toBe(urlId),
  )

  it.each([
    '',
    'new',
    '123',
    'a b',
    'a_b',
    'ü',
    'a/b',
    'x'.repeat(65),
    '0f8fad5b-d9cb-469f-a165-70867728950e',
    '0f8fad5bd9cb469fa16570867728950e',
    'mhvXdrZT4jP5T8vBxuvm75',
  ])('refuses %j', (urlId) => expect(() => requireUrlId(urlId)).toThrow('invalid urlId'))
})

describe('newDocumentIds', () => {
  it('makes url ids of the beginning of the UUID that cannot be taken for an id', () => {
    for (let i = 0; i < 2000; i++) {
      const { docId, urlId } = newDocumentIds()
      expect(docId.replaceAll('-', '').startsWith(urlId)).toBe(true)
      expect(readDocumentRef(urlId)).toEqual({ kind: 'url', urlId })
      expect(requireUrlId(urlId)).toBe(urlId)
    }
  })
})
