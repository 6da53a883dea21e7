import fc from 'fast-check'
import { archiveName, extensionOf, mediaTypeOf, readFileName } from './file-names'

describe('readFileName', () => {
  it.each([
    ['a.txt', 'a.txt'],
    ['', ''],
    ['/etc/passwd', 'passwd'],
    ['..\\..\\boot.ini', 'boot.ini'],
    ['folder/', ''],
    ['été & co.txt', 'été & co.txt'],
    ['文書 – أهلا 👋.pdf', '文書 – أهلا 👋.pdf'],
  ])('takes the folders off %j', (given, name) => {
    expect(readFileName(given)).toBe(name)
  })

  it.each(['a\nb', 'a\0b', 'a\x7f', 'half \ud83d'])('refuses %j', (given) => {
    expect(() => readFileName(given)).toThrow('control characters')
  })

  it('refuses a name that is too long, without its folders', () => {
    expect(readFileName(`${'f'.repeat(300)}/${'n'.repeat(255)}`)).toHaveLength(255)
    expect(() => readFileName('n'.repeat(256))).toThrow('more than 255')
  })

  it('gives a name that it would keep as it is, and that has no folders, whatever comes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (given) => {
        let name: string
        try {
          name = readFileName(given)
        } catch (error) {
          expect(error).toMatchObject({ reason: 'INVALID_NAME' })
          return
        }
        expect(given.endsWith(name)).toBe(true)
        expect(name).not.toMatch(/[/\\\n\0]/)
        expect(readFileName(name)).toBe(name)
      }),
    )
  })
})

describe('extensionOf', () => {
  it.each([
    ['a.txt', 'image/png', '.txt'],
    ['a.tar.gz', '', '.gz'],
    ['noext', 'text/plain', '.txt'],
    ['noext', 'text/plain; charset=utf-8', '.txt'],
    ['noext', 'no/such', ''],
    ['.hidden', '', ''],
    ['ends.', 'text/plain', ''],
    [`a.${'x'.repeat(40)}`, 'text/plain', ''],
  ])('of %j sent as %j is %j', (name, type, ext) => {
    expect(extensionOf(name, type)).toBe(ext)
  })
})

describe('mediaTypeOf', () => {
  it.each([
    ['.txt', 'text/plain'],
    ['.PNG', 'image/png'],
    ['.nosuch', 'application/octet-stream'],
    ['', 'application/octet-stream'],
  ])('of %j is %s', (ext, type) => {
    expect(mediaTypeOf(ext)).toBe(type)
  })
})

describe('archiveName', () => {
  it('never leads out of the folder, whatever a document holds in place of a hash', () => {
    expect(archiveName('../../etc/x', 'a')).toBe('.._.._etc_x_a')
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (sha1) => {
        expect(archiveName(sha1, 'a')).toMatch(/^[^/\\\0\n]*_a$/u)
      }),
    )
  })

  it('never leads out of the folder', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (name) => {
        expect(archiveName('ab', name)).toMatch(/^ab_[^/\\\0\n]*$/u)
      }),
    )
  })
})
