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
  ])('changes nothing if nothing was edited: $fields', (given) => {
    expect(changedFields(given, draftOf(given))).toEqual({})
  })

  it('changes choices and keeps other options', () => {
    const given = column({ type: 'Choice', widgetOptions: '{"choices":["a"],"wrap":true}' })
    const { widgetOptions } = changedFields(given, { ...draftOf(given), choices: ' b \n\na\nb' })
    expect(JSON.parse(widgetOptions ?? '')).toEqual({ choices: ['b', 'a'], wrap: true })
  })

  it('resets the display column when the type is no longer a reference', () => {
    const given = column({ type: 'Ref:People', visibleCol: 5 })
    expect(changedFields(given, { ...draftOf(given), type: 'Int' })).toEqual({
      type: 'Int',
      visibleCol: 0,
    })
  })

  it('creates data columns', () => {
    const draft = { ...newDraft(), label: ' When ', type: 'DateTime', zone: 'UTC' }
    expect(newFields(draft)).toEqual({
      label: 'When',
      description: '',
      type: 'DateTime:UTC',
      isFormula: false,
    })
  })
})
