import { keepValues, toPastedCells } from './kept-values'

const kept = {
  source: 'here',
  types: ['Ref:People', 'Any'],
  rows: [[5, ['E', 'TypeError']]],
  text: 'Ada\t#TypeError',
}
const htmlOf = (values: unknown) =>
  `<meta charset='utf-8'><table ${keepValues(values as typeof kept)}><tr><td>Ada</td></tr></table>`
const lines = [['Ada', '#TypeError']]
const texts = [[{ text: 'Ada' }, { text: '#TypeError' }]]

describe('a pasted block of cells', () => {
  it('has the values that were copied with it from the same document, but no errors', () => {
    const cells = [[{ text: 'Ada', type: 'Ref:People', value: 5 }, { text: '#TypeError' }]]
    expect(toPastedCells(lines, htmlOf(kept), 'here')).toEqual(cells)
    expect(toPastedCells(lines, htmlOf(kept), 'elsewhere')).toEqual(texts)
    expect(toPastedCells(lines, '<table><tr><td>Ada</td></tr></table>', 'here')).toEqual(texts)
  })

  it('has its empty cells at the end, which its text does not show', () => {
    const one = { source: 'here', types: ['Text'], rows: [['a'], [null]], text: 'a\n' }
    expect(toPastedCells([['a']], htmlOf(one), 'here')).toEqual([
      [{ text: 'a', type: 'Text', value: 'a' }],
      [{ text: '', type: 'Text', value: null }],
    ])
  })

  it('is its text if another program has changed that, and kept the HTML', () => {
    for (const changed of [[['Eve', '#TypeError']], [['Ada']], [...lines, ['Eve', '']]])
      expect(toPastedCells(changed, htmlOf(kept), 'here')).toEqual(
        changed.map((line) => line.map((text) => ({ text }))),
      )
  })

  it('has its values whatever line breaks the clipboard has', () => {
    const one = { source: 'here', types: ['Text'], rows: [['a\nb']], text: '"a\nb"' }
    expect(toPastedCells([['a\r\nb']], htmlOf(one), 'here')[0]?.[0]?.value).toBe('a\nb')
  })

  it('keeps any text', () => {
    const text = `"<b>'\n%26&amp; \ud800`
    const one = { source: 'here', types: ['Text'], rows: [[text]], text: '?' }
    expect(toPastedCells([['?']], htmlOf(one), 'here')[0]?.[0]?.value).toBe(text)
  })

  it('is its text if the HTML beside it has another form', () => {
    for (const other of [
      null,
      {},
      { ...kept, types: [1, 2] },
      { ...kept, types: [] },
      { ...kept, rows: [[5]] },
      { ...kept, rows: 'none' },
      { ...kept, text: 5 },
    ])
      expect(toPastedCells(lines, htmlOf(other), 'here')).toEqual(texts)
    const broken = ['%', '{', '%7B'].map((held) => `<table data-sheaf-cells="${held}">`)
    for (const html of broken) expect(toPastedCells(lines, html, 'here')).toEqual(texts)
  })
})
