import { readLink, safeHref } from './link'

describe('a link in a text', () => {
  it.each([
    ['https://example.org/a?b=1', 'https://example.org/a?b=1', 'https://example.org/a?b=1'],
    ['Home page https://example.org', 'Home page', 'https://example.org/'],
    ['example.org/a', 'example.org/a', 'https://example.org/a'],
    ['localhost.test:8080', 'localhost.test:8080', 'https://localhost.test:8080/'],
    ['Write mailto:ada@example.org', 'Write', 'mailto:ada@example.org'],
    ['HTTP://EXAMPLE.ORG', 'HTTP://EXAMPLE.ORG', 'http://example.org/'],
  ])('%s shows %s and opens %s', (value, text, href) => {
    expect(readLink(value)).toEqual({ text, href })
  })

  it.each([
    '',
    'just words',
    'javascript:alert(1)',
    'x JavaScript:alert(1)',
    'data:text/html,hello',
    'file:///etc/passwd',
    'java\tscript:alert(1)',
    'ftp://example.org',
    'vbscript:x.y',
  ])('there is none in %j', (value) => {
    expect(readLink(value)).toBeUndefined()
  })

  it('is found at once in a text of one long word and a short one', () => {
    // A search from each letter of the long word to its end would take minutes.
    expect(readLink(`${'a'.repeat(500_000)} b`)).toBeUndefined()
  })

  it('is opened only with the schemes of the web and of mail', () => {
    expect(safeHref(' javascript:alert(1)')).toBeUndefined()
    expect(safeHref('//example.org')).toBeUndefined()
    expect(safeHref('mailto:a@b.c')).toBe('mailto:a@b.c')
  })
})
