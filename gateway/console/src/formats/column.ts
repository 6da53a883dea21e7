import type { Column } from '../api/resources'

/** True for columns that a formula computes; one with an empty formula becomes a plain one when it is written to. */
export const isComputed = ({ fields }: Column): boolean => fields.isFormula && fields.formula !== ''
