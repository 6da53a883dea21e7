import { sampleColumn } from '../../api/sample-column'
import { cellTexts, findParts, hasText } from './cell-texts'

describe('the texts of a cell', () => {
  it.each<[string, unknown, readonly string[]]>([
    ['Text', 'Ada', ['Ada']],
    ['Numeric', 1234.5, ['1234.5']],
    ['Int', 7, ['7']],
    ['Numeric', 'about 5', ['about 5']],
    ['Bool', true, []],
    ['Bool', 'maybe', ['maybe']],
    ['Date', 1709251200, ['2024-03-01', 'Mar 1, 2024']],
    ['DateTime:Europe/Berlin', 1709247600, ['2024-03-01 00:00:00', 'Mar 1, 2024, 12:00 AM']],
    ['ChoiceList', ['L', 'red', 'blue'], ['red', 'blue']],
    ['Any', ['L', 1, ['L', 'x'], null, true], ['1', 'x']],
    ['Any', ['d', 1709251200], ['2024-03-01']],
    ['Any', ['E', 'ValueError'], []],
    ['Text', null, []],
  ])('of type %s are those in which the API searches: %j', (type, value, texts) => {
    const found = cellTexts(value, sampleColumn('A', { type }))
    expect(found.map((text) => text.replaceAll('\u202f', ' '))).toEqual(texts)
  })

  it('are those of the format of the column as well', () => {
    const texts = (type: string, options: object, value: unknown) =>
      cellTexts(value, sampleColumn('A', { type, widgetOptions: JSON.stringify(options) }))
    expect(texts('Numeric', { numMode: 'percent' }, 0.5)).toEqual(['0.5', '50%'])
    expect(texts('Date', { dateFormat: 'DD/MM/YYYY' }, 1709251200)).toEqual([
      '2024-03-01',
      '01/03/2024',
    ])
  })
})

describe('the texts of a reference', () => {
  const choose = (type: string, visibleCol: number) => sampleColumn('A', { type, visibleCol })
  it('are row ids only where no other column is shown', () => {
    expect(cellTexts(12, choose('Ref:T', 0))).toEqual(['12'])
    expect(cellTexts(['L', 1, 2], choose('RefList:T', 0))).toEqual(['1', '2'])
    expect(cellTexts(12, choose('Ref:T', 3))).toEqual([])
    expect(cellTexts(['L', 1, 2], choose('RefList:T', 3))).toEqual([])
    expect(cellTexts(['L', 1], choose('Attachments', 0))).toEqual([])
    expect(cellTexts('nobody', choose('Ref:T', 3))).toEqual(['nobody'])
  })
})

describe('the parts of a text', () => {
  it.each<[string, string, readonly string[]]>([
    ['Ada and ada', 'ADA', ['Ada', 'ada']],
    ['aaaa', 'aa', ['aa', 'aa']],
    ['Straße', 'SS', []],
    ['Große STRAßE', 'straße', ['STRAßE']],
    ['in İstanbul, ja', 'ja', ['ja']],
    ['İstanbul', 'stan', ['stan']],
    ['abc', '', []],
    ['a\u{1f600}b', 'B', ['b']],
    ['2:30\u202fPM', '30 pm', ['30\u202fPM']],
    ['\u221212', '-1', ['\u22121']],
  ])('of “%s” that are “%s”', (text, part, parts) => {
    const found = findParts(text, part).map(([start, end]) => text.slice(start, end))
    expect(found).toEqual(parts)
    if (part !== '') expect(hasText(text, part)).toBe(parts.length > 0)
  })
})
