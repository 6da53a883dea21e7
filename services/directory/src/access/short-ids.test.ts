import { randomUUID } from 'node:crypto'
import { readShortUuid } from './short-ids'

/** Encodes as the package short-uuid does, padded to 22 characters. */
function shorten(uuid: string): string {
  const alphabet = '123456789abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ'
  let text = ''
  for (let rest = BigInt(`0x${uuid.replaceAll('-', '')}`); rest > 0n; rest /= 58n)
    text = `${alphabet[Number(rest % 58n)]}${text}`
  return text.padStart(22, '1')
}

describe('readShortUuid', () => {
  it('reads the UUID that was encoded', () => {
    for (let i = 0; i < 500; i++) {
      const uuid = randomUUID()
      expect(readShortUuid(shorten(uuid))).toBe(uuid)
    }
    const small = '00000000-0000-4000-8000-000000000001'
    expect(readShortUuid(shorten(small))).toBe(small)
  })

  it('reads an id that the package short-uuid has made', () => {
    expect(readShortUuid('mhvXdrZT4jP5T8vBxuvm75')).toBe('a44521d0-0fb8-4ade-8002-3385545c3318')
  })

  it.each([
    '',
    'mhvXdrZT4jP5T8vBxuvm7',
    'mhvXdrZT4jP5T8vBxuvm755',
    'mhvXdrZT4jP5T8vBxuvm70',
    'mhvXdrZT4jP5T8vBxuvm7-',
    'ZZZZZZZZZZZZZZZZZZZZZZ',
    '1111111111111111111111',
  ])('finds none in %j', (text) => expect(readShortUuid(text)).toBeUndefined())
})
