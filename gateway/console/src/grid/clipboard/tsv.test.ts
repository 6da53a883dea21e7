import fc from 'fast-check'
import { readTsv, toTsvCell } from './tsv'

describe('a block of cells on the clipboard', () => {
  it.each([
    ['one', [['one']]],
    [
      'a\tb\r\nc\td\r\n',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    ['a\n\n', [['a'], ['']]],
    ['"two\nlines"\t"say ""yes"""', [['two\nlines', 'say "yes"']]],
    ['5" wide\t"open', [['5" wide', '"open']]],
    ['', [['']]],
  ])('is read as spreadsheets write it: %j', (text, cells) => {
    expect(readTsv(text)).toEqual(cells)
  })

  it('is unchanged after encoding and parsing', () => {
    const cell = fc.oneof(fc.string(), fc.constantFrom('"', '\n', '\t', 'a"b', '\r\n'))
    const block = fc.array(fc.array(cell, { minLength: 1 }), { minLength: 1 })
    fc.assert(
      fc.property(block, (lines) => {
        const text = lines.map((line) => line.map(toTsvCell).join('\t') + '\n').join('')
        expect(readTsv(text)).toEqual(lines)
      }),
    )
  })
})
