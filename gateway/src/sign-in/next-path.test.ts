import fc from 'fast-check'
import { DEFAULT_NEXT, toSafePath } from './next-path'

const here = 'https://sheaf.example'

/** Characters of addresses, and characters that disguise them. */
const tricky = fc
  .array(
    fc
      .constantFrom('/', '//', '\\', '.', '..', '%2f', '%5c', '\t', '\n', ' ', '@', ':', '?', '#')
      .chain((text) =>
        fc.constantFrom(text, `${text}evil.test`, `evil.test${text}`, 'https:', 'a'),
      ),
    { maxLength: 8 },
  )
  .map((parts) => parts.join(''))

describe('where somebody is sent on to', () => {
  it.each(['/console/', '/console/docs/a?x=1&y=%2F#part', '/o/team/console/', '/a//b', '/ä'])(
    'is %s, a path of this site',
    (path) => {
      expect(new URL(toSafePath(path), here).href).toBe(new URL(path, here).href)
    },
  )

  it.each([
    '',
    'console',
    'https://evil.test/',
    '//evil.test',
    '/\\evil.test',
    '\\\\evil.test',
    '/\t/evil.test',
    '/.//evil.test',
    '/a/..//evil.test',
    '/%2e//evil.test',
    'javascript:alert(1)',
    `/${'a'.repeat(5000)}`,
    null,
    undefined,
  ])('is the default instead of %j', (given) => {
    expect(toSafePath(given)).toBe(DEFAULT_NEXT)
  })

  it('is never another site', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          tricky,
          tricky.map((text) => `/${text}`),
          fc.webUrl(),
          fc.string(),
        ),
        (given) => {
          const path = toSafePath(given)
          expect(path).toMatch(/^\/(?![/\\])[\x21-\x7e]*$/)
          expect(new URL(path, here).origin).toBe(here)
          expect(toSafePath(path)).toBe(path)
        },
      ),
    )
  })
})
