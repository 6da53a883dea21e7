import type { Column } from '../../api/resources'
import { sampleColumn } from '../../api/sample-column'
import { withOption } from '../../formats/widget-options'
import { insertChoices } from '../choices/choice-drafts'
import {
  changedFields,
  draftOf,
  newDraft,
  newFields,
  typeText,
  type ColumnDraft,
} from './column-types'

const column = (fields: Partial<Column['fields']>) => sampleColumn('C', fields)

/** Returns the widget options that are stored when a draft is edited. */
function edited(given: Column, edit: (draft: ColumnDraft) => Partial<ColumnDraft>): unknown {
  const draft = draftOf(given)
  const { widgetOptions } = changedFields(given, { ...draft, ...edit(draft) })
  return widgetOptions === undefined ? undefined : JSON.parse(widgetOptions)
}

describe('a column type in words', () => {
  it.each([
    ['Numeric', 'Number'],
    ['DateTime:Asia/Tokyo', 'Date and time (Asia/Tokyo)'],
    ['Ref:People', 'Reference to People'],
    ['RefList:People', 'References to People'],
    ['Nobody:knows', 'Nobody:knows'],
  ])('of %s is %s', (type, text) => {
    expect(typeText(type)).toBe(text)
  })
})

describe('the form of a column', () => {
  it.each([
    column({}),
    column({ description: ' of something ' }),
    column({ type: 'DateTime:Asia/Tokyo' }),
    column({ type: 'Ref:People', visibleCol: 5 }),
    column({ type: 'RefList:People' }),
    column({ type: 'Choice', widgetOptions: '{ "choices": ["b","a"], "wrap": true }' }),
    column({ type: 'Choice', widgetOptions: '{"choices":["b",1,"b"],"choiceOptions":{"x":{}}}' }),
    column({ type: 'Choice', widgetOptions: '{"choiceOptions":{"b":{"fillColor":"#FF0000"}}}' }),
    column({ type: 'Numeric', widgetOptions: '{"numMode":"percent"}' }),
    column({ type: 'Numeric', widgetOptions: 'broken' }),
    column({ type: 'Nobody:knows' }),
  ])('changes nothing if nothing was edited: $fields', (given) => {
    expect(changedFields(given, draftOf(given))).toEqual({})
  })

  it('changes choices and keeps other options', () => {
    const given = column({ type: 'Choice', widgetOptions: '{"choices":["a"],"wrap":true}' })
    const next = edited(given, ({ choices }) => ({
      choices: insertChoices(choices, 0, [' b ', '', 'b']),
    }))
    expect(next).toEqual({
      choices: ['b', 'a'],
      wrap: true,
      choiceOptions: { b: { fillColor: '#FBD7D3', textColor: '#7F1D17' } },
    })
  })

  it('keeps the look of a choice that is renamed, and forgets that of one that is removed', () => {
    const look = { fillColor: '#123456', strange: 1 }
    const options = { choices: ['a', 'b'], choiceOptions: { a: look, b: look, unknown: look } }
    const given = column({ type: 'ChoiceList', widgetOptions: JSON.stringify(options) })
    const next = edited(given, ({ choices: [first] }) => ({
      choices: first ? [{ ...first, name: 'c' }] : [],
    }))
    expect(next).toEqual({ choices: ['c'], choiceOptions: { unknown: look, c: look } })
  })

  it('changes one option and keeps unknown ones', () => {
    const given = column({ type: 'Numeric', widgetOptions: '{"numMode":"percent","odd":[1]}' })
    const next = edited(given, ({ options }) => ({
      options: withOption(options, 'numMode', undefined),
    }))
    expect(next).toEqual({ odd: [1] })
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
