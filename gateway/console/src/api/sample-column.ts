import type { Column } from './resources'

/** A column for tests: of text, with the fields that a new one has, but for those given. */
export const sampleColumn = (id: string, fields: Partial<Column['fields']> = {}): Column => ({
  id,
  fields: {
    colRef: 1,
    label: id,
    type: 'Text',
    isFormula: false,
    formula: '',
    widgetOptions: '',
    visibleCol: 0,
    untieColIdFromLabel: false,
    ...fields,
  },
})
