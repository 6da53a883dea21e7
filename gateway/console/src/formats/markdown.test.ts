import fc from 'fast-check'
import { readMarkdown } from './markdown'

describe('Markdown', () => {
  it('has bold, italic and code', () => {
    expect(readMarkdown('a **b *c*** `d*e*` _f_ snake_case_name')).toEqual([
      { text: 'a ' },
      { text: 'b ', isBold: true },
      { text: 'c', isBold: true, isItalic: true },
      { text: ' ' },
      { text: 'd*e*', isCode: true },
      { text: ' ' },
      { text: 'f', isItalic: true },
      { text: ' snake_case_name' },
    ])
  })

  it('has links to the web and to mail, and no others', () => {
    const href = 'https://example.org/'
    expect(readMarkdown('[a **b**](https://example.org)')).toEqual([
      { text: 'a ', href },
      { text: 'b', isBold: true, href },
    ])
    expect(readMarkdown('[x](javascript:alert)')).toEqual([{ text: '[x](javascript:alert)' }])
  })

  it('has headings and lists, line by line', () => {
    expect(readMarkdown('# Title\n- one\n2 * 3 * 4')).toEqual([
      { text: 'Title', isBold: true },
      { text: '\n' },
      { text: '• one' },
      { text: '\n' },
      { text: '2 * 3 * 4' },
    ])
  })

  it('is text otherwise: nothing is lost, and no address is unsafe', () => {
    const part = fc.constantFrom(
      '*',
      '**',
      '_',
      '`',
      '[',
      ']',
      '(',
      ')',
      '\n',
      'a',
      ' ',
      '<b>',
      'javascript:x',
    )
    fc.assert(
      fc.property(
        fc.array(part, { maxLength: 30 }).map((parts) => parts.join('')),
        (text) => {
          const spans = readMarkdown(text)
          const shown = spans.map((span) => span.text).join('')
          const letters = (of: string) => of.replace(/[^a<>]/g, '')
          expect(letters(shown)).toBe(letters(text))
          expect(spans.every(({ href }) => href === undefined)).toBe(true)
        },
      ),
    )
  })

  it('is parsed quickly, however long the text is', () => {
    for (const part of ['*', '**', '**a', '_a ', '[', '[a](', '`'])
      expect(readMarkdown(part.repeat(5_000)).length).toBeGreaterThan(0)
  })
})
