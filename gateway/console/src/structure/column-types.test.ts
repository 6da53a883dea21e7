import type { Column } from '../api/resources'
import { sampleColumn } from '../api/sample-column'
import { changedFields, draftOf, newDraft, newFields } from './column-types'

const column = (fields: Partial<Column['fields']>) => sampleColumn('C', fields)

describe('the form of a column', () => {
  it.each([
    column({}),
    column({ type: 'DateTime:Asia/Tokyo' }),
    column({ type: 'Ref:People', visibleCol: 5 }),
    column({ type: 'RefList:People' }),
    column({ type: 'Choice', widgetOptions: '{ "choices": ["b","a"], "wrap": true }' }),
    column({ type: 'Numeric', widgetOptions: '{"numMode":"percent"}' }),
    column({ type: 'Nobody:knows' }),
  ])('changes nothing that was not touched: $fields', (given) => {
    expect(changedFields(given, draftOf(given))).toEqual({})
  })

  it('changes choices, and leaves the other options as they are', () => {
    const given = column({ type: 'Choice', widgetOptions: '{"choices":["a"],"wrap":true}' })
    const { widgetOptions } = changedFields(given, { ...draftOf(given), choices: ' b \n\na\nb' })
    expect(JSON.parse(widgetOptions ?? '')).toEqual({ choices: ['b', 'a'], wrap: true })
  })

  it('takes back what references show, with the references', () => {
    const given = column({ type: 'Ref:People', visibleCol: 5 })
    expect(changedFields(given, { ...draftOf(given), type: 'Int' })).toEqual({
      type: 'Int',
      visibleCol: 0,
    })
  })

  it('makes new columns that hold data', () => {
    const draft = { ...newDraft(), label: ' When ', type: 'DateTime', zone: 'UTC' }
    expect(newFields(draft)).toEqual({ label: 'When', type: 'DateTime:UTC', isFormula: false })
  })
})
