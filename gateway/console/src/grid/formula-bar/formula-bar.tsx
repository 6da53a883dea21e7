import type { ReactNode } from 'react'
import { Button } from '../../components/button'
import { columnName, isComputed } from '../../formats/column'
import type { CellContext } from '../../cells/editing/cell-type'
import { computedState, FormulaMessage } from '../columns/formula-message'
import type { FocusedFormula } from './use-focused-formula'

interface FormulaBarProps {
  readonly context: CellContext
  readonly focused: FocusedFormula | undefined
  readonly onOpen: () => void
  readonly onRecalculate: () => void
}

/**
 * The formula of the focused cell and, if the cell has no value, why. Without such a cell the bar stays, so that rows do not
 * move when a cell gets the focus.
 */
export function FormulaBar(props: FormulaBarProps): ReactNode {
  const { context, focused, onOpen, onRecalculate } = props
  if (!focused)
    return (
      <div className="formula-bar">
        <span className="note">Select a cell of a formula column to see its formula.</span>
      </div>
    )
  const { column } = focused
  const { canEdit } = context
  const state = isComputed(column) ? computedState(focused.row.fields[column.id]) : undefined
  return (
    <div className="formula-bar" role="group" aria-label={`Formula of ${columnName(column)}`}>
      <code className="formula-bar-text">= {column.fields.formula}</code>
      <span role="status" className={state === 'pending' ? 'note' : 'note error'}>
        {state !== undefined && <FormulaMessage context={context} {...focused} />}
      </span>
      {canEdit && state !== undefined && <Button onClick={onRecalculate}>Calculate again</Button>}
      <Button onClick={onOpen}>{canEdit ? 'Edit formula' : 'Show formula'}</Button>
    </div>
  )
}
