import { sampleColumn } from '../../api/sample-column'
import { writeBlock } from './block-text'
import { toPastedCells } from './kept-values'
import { readTsv } from './tsv'

const here = { source: 'here', knownText: () => undefined }
const columns = [sampleColumn('A', { type: 'Text' }), sampleColumn('B', { type: 'Numeric' })]

describe('a block of cells as text', () => {
  it('is TSV that is pasted back as it was, and HTML without markup of its own', () => {
    const rows = [
      { id: 1, fields: { A: 'two\nlines', B: 1234.5 } },
      { id: 2, fields: { A: '<b>"&\t', B: null } },
    ]
    const { tsv, html } = writeBlock(rows, columns, here)
    expect(readTsv(tsv)).toEqual([
      ['two\nlines', '1234.5'],
      ['<b>"&\t', ''],
    ])
    expect(html.replace(/ data-sheaf-cells="[\w%.-]+"/, '')).toBe(
      '<table><tr><td>two<br>lines</td><td>1234.5</td></tr>' +
        '<tr><td>&lt;b&gt;&quot;&amp;\t</td><td></td></tr></table>',
    )
  })

  it('has the labels by which references are shown, and their values for the same document', () => {
    const columns = [sampleColumn('A', { type: 'Ref:People' })]
    const labelled = { source: 'here', knownText: () => 'Ada' }
    const { tsv, html } = writeBlock([{ id: 1, fields: { A: 5 } }], columns, labelled)
    expect(tsv).toBe('Ada')
    expect(toPastedCells(readTsv(tsv), html, 'here')).toEqual([
      [{ text: 'Ada', type: 'Ref:People', value: 5 }],
    ])
  })
})
