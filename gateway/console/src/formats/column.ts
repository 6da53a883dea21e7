import type { Column } from '../api/resources'

/** Returns the display name of a column: its label, or its id if the label is empty. */
export const columnName = ({ id, fields }: Column): string => fields.label || id

/**
 * Returns true for columns computed by a formula. A column with an empty formula becomes a data column when it
 * is written.
 */
export const isComputed = ({ fields }: Column): boolean => fields.isFormula && fields.formula !== ''

/** Returns a column of a type that only shows values. */
export const sampleColumnOf = (type: string, widgetOptions = ''): Column => ({
  id: '',
  fields: {
    colRef: 0,
    label: '',
    description: '',
    type,
    isFormula: true,
    formula: '',
    recalcWhen: 0,
    recalcDeps: null,
    widgetOptions,
    visibleCol: 0,
    untieColIdFromLabel: false,
  },
})
