import { normalizeEmail, readEmail, readNewName, requireLabel, requireName } from './names'

describe('requireName', () => {
  it.each(['a', ' with spaces around ', '名前', '👩‍🚀', 'x'.repeat(256)])(
    'keeps %j as it is',
    (name) => expect(requireName(name)).toBe(name),
  )

  it.each(['', '  ', 'a\0b', 'a\nb', 'a\u2028b', '\ud800', 'x'.repeat(257)])('refuses %j', (name) =>
    expect(() => requireName(name)).toThrow(/^name /),
  )

  it('names the field', () => {
    expect(() => requireLabel('\0', 'title')).toThrow(/^title must not contain control characters/)
  })
})

describe('readNewName', () => {
  it('takes an absent name for no change, and refuses an empty one', () => {
    expect(readNewName(undefined)).toBeUndefined()
    expect(() => readNewName('')).toThrow('name must not be empty')
    expect(readNewName('x')).toBe('x')
  })
})

describe('readEmail', () => {
  it('compares in lower case', () => {
    expect(readEmail('You@Example.COM')).toBe('you@example.com')
  })

  it('takes no other sign for a letter of somebody else', () => {
    const signs = Array.from({ length: 0x10000 - 0x80 }, (_, i) => String.fromCharCode(0x80 + i))
    expect(signs.filter((sign) => /^[a-z]$/.test(normalizeEmail(sign)))).toEqual([])
    expect(readEmail('mi\u212ae@example.com')).not.toBe('mike@example.com')
  })
})
