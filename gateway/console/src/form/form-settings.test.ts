import type { Column } from '../api/resources'
import { sampleColumnOf } from '../formats/column'
import { newForm, previewOf, toDraft, withField, withMoved, withoutField } from './form-settings'

const column = (id: string, type: string, more: Partial<Column['fields']> = {}): Column => ({
  id,
  fields: { ...sampleColumnOf(type).fields, isFormula: false, label: `${id}!`, ...more },
})
const columns = [
  column('Name', 'Text'),
  column('When', 'DateTime:Europe/Berlin'),
  column('Drink', 'Choice', { widgetOptions: '{"choices":["tea"]}' }),
  column('Friend', 'Ref:People'),
  column('Files', 'Attachments'),
  column('Sum', 'Numeric', { isFormula: true, formula: '$A' }),
  column('Empty', 'Any', { isFormula: true }),
]
const draft = toDraft(newForm(columns))
const ids = ({ fields }: { fields: readonly { id: string }[] }) => fields.map(({ id }) => id)

describe('the settings of a form', () => {
  it('begin with all columns that a form can fill', () => {
    expect(ids(draft)).toEqual(['Name', 'When', 'Drink'])
  })

  it('are changed one question at a time', () => {
    expect(withField(draft, 'When', { required: true }).fields).toEqual([
      { id: 'Name' },
      { id: 'When', required: true },
      { id: 'Drink' },
    ])
    expect(ids(withoutField(draft, 'When'))).toEqual(['Name', 'Drink'])
    expect(ids(withMoved(draft, 'Name', 1))).toEqual(['When', 'Name', 'Drink'])
    expect(ids(withMoved(draft, 'Drink', -1))).toEqual(['Name', 'Drink', 'When'])
    for (const [id, by] of [
      ['Name', -1],
      ['Drink', 1],
    ] as const)
      expect(ids(withMoved(draft, id, by))).toEqual(ids(draft))
  })

  it('ask for percentages where their columns show them', () => {
    const widgetOptions = '{"numMode":"percent"}'
    const some = [
      column('Share', 'Numeric', { widgetOptions }),
      column('Price', 'Numeric'),
      column('Name', 'Text', { widgetOptions }),
    ]
    const { fields } = previewOf(toDraft(newForm(some)), 'Party', some)
    expect(fields.map(({ percent }) => percent)).toEqual([true, undefined, undefined])
  })

  it('are shown with the labels, choices and time zones of their columns', () => {
    const named = withField(draft, 'Drink', { label: 'Thirsty?', help: 'Hot only' })
    const none = { help: '', required: false, multiline: false }
    expect(previewOf(named, 'Party', columns)).toEqual({
      ...{ title: 'Party', description: '', submit: '', message: '', again: false },
      fields: [
        { ...none, id: 'Name', label: 'Name!', type: 'Text' },
        { ...none, id: 'When', label: 'When!', type: 'DateTime', timeZone: 'Europe/Berlin' },
        {
          ...none,
          id: 'Drink',
          label: 'Thirsty?',
          help: 'Hot only',
          type: 'Choice',
          choices: ['tea'],
        },
      ],
    })
    expect(ids(previewOf(named, 'Party', columns.slice(1)))).toEqual(['When', 'Drink'])
  })
})
