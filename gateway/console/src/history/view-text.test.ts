import { sampleColumnOf } from '../formats/column'
import { settingName, settingText } from './view-text'

const column = (colRef: number, label: string, type: string) => {
  const { fields } = sampleColumnOf(type)
  return { id: `Column${colRef}`, fields: { ...fields, colRef, label } }
}
const columns = [column(24, 'Done', 'Bool'), column(23, 'Hours', 'Numeric'), column(2, '', 'Text')]
const text = (setting: string, value: unknown) =>
  settingText(
    setting,
    typeof value === 'object' && value !== null ? JSON.stringify(value) : value,
    columns,
  )

describe('a setting of a view', () => {
  it('has the conditions of its filter in words', () => {
    expect(text('filter', { c24: [false] })).toBe('Done is any of No')
    const either = {
      or: [{ c24: [false], c23: { gte: 3 } }, { c2: { contains: 'x', ignoreCase: true } }],
    }
    expect(text('filter', either)).toContain('Column2 contains x')
    expect(text('filter', {})).toBe('')
    expect(text('filter', '')).toBe('')
  })

  it('has the columns of its order, and their directions', () => {
    expect(text('sort', ['-c23', 'c2:naturalSort;emptyLast', 'c99'])).toBe(
      'Hours ↓, Column2 ↑ (naturalSort, emptyLast), c99 ↑',
    )
  })

  it('has its columns with their widths', () => {
    expect(
      text('columns', [
        { column: 'c24', width: 240 },
        { column: 'c23', hidden: true },
      ]),
    ).toBe('Done (240 px), Hours (hidden)')
  })

  it('has the title and questions of a form', () => {
    const fields = [
      { column: 'c24', label: 'Are you done?', required: true },
      { column: 'c23', label: '', required: false },
    ]
    expect(text('form', { title: 'Party', fields })).toBe(
      '“Party”, Are you done? (required), Hours',
    )
  })

  it('has other values as they are', () => {
    expect([text('wrapText', true), text('frozenColumns', 2), text('name', 'To do')]).toEqual([
      'Yes',
      '2',
      'To do',
    ])
    expect([settingName('sort'), settingName('later')]).toEqual(['Sort order', 'later'])
  })
})
