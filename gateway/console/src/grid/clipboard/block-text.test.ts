import { sampleColumn } from '../../api/sample-column'
import { writeBlock } from './block-text'
import { readTsv } from './tsv'

const columns = [sampleColumn('A', { type: 'Text' }), sampleColumn('B', { type: 'Numeric' })]

describe('a block of cells as text', () => {
  it('is TSV that is pasted back as it was, and HTML without markup of its own', () => {
    const rows = [
      { id: 1, fields: { A: 'two\nlines', B: 1234.5 } },
      { id: 2, fields: { A: '<b>"&\t', B: null } },
    ]
    const { tsv, html } = writeBlock(rows, columns)
    expect(readTsv(tsv)).toEqual([
      ['two\nlines', '1234.5'],
      ['<b>"&\t', ''],
    ])
    expect(html).toBe(
      '<table><tr><td>two<br>lines</td><td>1234.5</td></tr>' +
        '<tr><td>&lt;b&gt;&quot;&amp;\t</td><td></td></tr></table>',
    )
  })
})
