import { parse } from 'content-disposition'
import fc from 'fast-check'
import { attachmentNamed } from './attachment-name'

/** The name as read by a client that supports RFC 8187, and by one that does not. */
function namesIn(header: string): { modern?: string; old?: string } {
  const { type, parameters } = parse(header)
  expect(type).toBe('attachment')
  const old = parse(header, { extended: false }).parameters.filename
  return { modern: parameters.filename, old }
}

describe('the name of a file to save', () => {
  it('is whole in every script, and readable for clients that know ASCII alone', () => {
    expect(attachmentNamed('Report', '.csv')).toBe('attachment; filename=Report.csv')
    expect(namesIn(attachmentNamed('Café 2024', '.csv'))).toEqual({
      modern: 'Café 2024.csv',
      old: 'Cafe 2024.csv',
    })
    for (const name of ['日本語', 'Отчёт', 'نمی‌خواهم', 'हिन्दी', '👩‍👩‍👧', 'a "b" \'c\'; d=e%20'])
      expect(namesIn(attachmentNamed(name, '.xlsx')).modern).toBe(`${name}.xlsx`)
  })

  it('holds no path, no control character and nothing that turns it around', () => {
    const { modern } = namesIn(attachmentNamed('../etc\\x\r\nSet-Cookie: a\u202egpj', '.csv'))
    expect(modern).toBe('.._etc_x__Set-Cookie: a_gpj.csv')
  })

  it('had its path back for old clients, whose characters came out of wider ones', () => {
    expect(namesIn(attachmentNamed('．．＼evil／x％41', '.csv')).old).toBe('.._evil_x_41.csv')
  })

  it('of a great length keeps its end', () => {
    expect(namesIn(attachmentNamed('x'.repeat(5_000), '.csv')).modern).toMatch(/x\.csv$/)
    expect(namesIn(attachmentNamed('a', '.c/d\r\n')).modern).toBe('a.c_d__')
  })

  it('is a header that can be sent, and reads as itself, whatever the name', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 100 }), (name) => {
        const header = attachmentNamed(name, '.csv')
        expect(header).toMatch(/^[ -~]*$/)
        expect(header.length).toBeLessThan(8_000)
        if (/^[^\p{Cc}/\\\u202a-\u202e\u2066-\u2069\p{Cs}]*$/u.test(name))
          expect(namesIn(header).modern).toBe(`${[...name].slice(0, 180).join('')}.csv`)
      }),
    )
    expect(namesIn(attachmentNamed('half \ud800 a pair', '.csv')).modern).toBe('half � a pair.csv')
    expect(namesIn(attachmentNamed('x'.repeat(5_000), '.csv')).modern).toHaveLength(184)
  })
})
