import { letters, xmlText } from './sheet'
import { sheetNames } from './workbook'

describe('names of sheets', () => {
  it('are at most 31 characters long, different in any case, and hold nothing that is forbidden', () => {
    const long = 'A'.repeat(40)
    expect(
      sheetNames(['Pets', 'PETS', 'History', '[a]/b:*?\\', "'quoted'", '', ' ', long, `${long}b`]),
    ).toEqual([
      ...['Pets', 'PETS 2', 'History 2', 'a b', 'quoted', 'Sheet', 'Sheet 2'],
      ...['A'.repeat(31), `${'A'.repeat(29)} 2`],
    ])
    expect(sheetNames([`${'x'.repeat(30)}👍`])).toEqual(['x'.repeat(30)])
  })
})

describe('columns of a sheet', () => {
  it('are named as in every program', () => {
    expect([0, 25, 26, 701, 702, 16_383].map(letters)).toEqual(['A', 'Z', 'AA', 'ZZ', 'AAA', 'XFD'])
  })
})

describe('text in XML', () => {
  it('holds nothing that XML forbids', () => {
    expect(xmlText('a<b>&"c"\t\n\r')).toBe('a&lt;b&gt;&amp;&quot;c&quot;\t\n&#13;')
    expect(xmlText('\u0000\u0001\u001f\ufffe\ud800x')).toBe('_x0000__x0001__x001F__xFFFE__xD800_x')
    expect(xmlText('_x0041_ _x_ 👍 \u0085')).toBe('_x005F_x0041_ _x_ 👍 \u0085')
  })
})
