import { sampleColumn } from '../api/sample-column'
import { destinationsOf, mappingOf } from './column-mapping'

const column = (id: string, label = id) => ({
  id,
  fields: { label, type: 'Text', widgetOptions: '' },
})
const targets = [
  sampleColumn('Item', { label: 'Item name' }),
  sampleColumn('Price'),
  sampleColumn('Total', { isFormula: true, formula: '$Price' }),
]

describe('the columns of a file', () => {
  it('go to those with the same id or label, and otherwise to new ones', () => {
    const columns = [
      column('price'),
      column('Item_name', 'item NAME'),
      column('Total'),
      column('Note'),
    ]
    expect([...destinationsOf(columns, targets, {}).values()]).toEqual([
      { to: 'Price' },
      { to: 'Item' },
      'new',
      'new',
    ])
  })

  it('go where they were sent, and no two of them to the same column', () => {
    const columns = [column('Price'), column('Cost'), column('Note')]
    const found = destinationsOf(columns, targets, {
      Cost: { to: 'Price' },
      Note: 'none',
    })
    expect([...found.values()]).toEqual(['new', { to: 'Price' }, 'none'])
    expect(mappingOf(found)).toEqual({ Cost: 'Price', Note: null })
  })
})
