import type { Column } from './schema'

/** The changeable metadata of a column, by name. */
export interface ColumnMetadata {
  readonly colId: string
  readonly parentPos: number
  readonly type: string
  readonly widgetOptions: string
  readonly isFormula: boolean
  readonly formula: string
  readonly label: string
  readonly description: string
  readonly untieColIdFromLabel: boolean
  readonly displayCol: number
  readonly visibleCol: number
  /** JSON list of column refs, or null. */
  readonly rules: string | null
  readonly recalcWhen: number
  /** JSON list of column refs, or null. */
  readonly recalcDeps: string | null
}

/** All metadata of a column beside its ref and its table. */
export interface WholeMetadata extends ColumnMetadata {
  readonly summarySourceCol: number
  readonly reverseCol: number
}

/** Defaults of column metadata that older log entries do not contain. */
export const laterMetadata: Omit<WholeMetadata, keyof ColumnMetadata> = {
  summarySourceCol: 0,
  reverseCol: 0,
}

/** All metadata of a column, for the log: sufficient to restore it. */
export function wholeMetadata(column: Column): WholeMetadata {
  const { summarySourceCol, reverseCol } = column
  return { ...columnMetadata(column), summarySourceCol, reverseCol }
}

/** The current metadata of a column. */
export function columnMetadata(column: Column): ColumnMetadata {
  const { id: colId, typeName: type, position: parentPos } = column
  const { widgetOptions, isFormula, formula, label, description, untieColIdFromLabel } = column
  const { displayCol, visibleCol, rules, recalcWhen, recalcDeps } = column
  return {
    colId,
    parentPos,
    type,
    widgetOptions,
    isFormula,
    formula,
    label,
    description,
    untieColIdFromLabel,
    displayCol,
    visibleCol,
    rules,
    recalcWhen,
    recalcDeps,
  }
}
