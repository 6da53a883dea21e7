import type { Column } from './resources'

/** Returns a text column for tests, with the given fields overridden. */
export const sampleColumn = (id: string, fields: Partial<Column['fields']> = {}): Column => ({
  id,
  fields: {
    colRef: 1,
    label: id,
    type: 'Text',
    isFormula: false,
    formula: '',
    recalcWhen: 0,
    recalcDeps: null,
    description: '',
    widgetOptions: '',
    visibleCol: 0,
    untieColIdFromLabel: false,
    ...fields,
  },
})
