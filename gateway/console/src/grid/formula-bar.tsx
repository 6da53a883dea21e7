import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Button } from '../components/button'
import { columnName, isComputed } from '../formats/column'
import type { CellContext } from '../cells/editing/cell-type'
import { checkFormula, describeError } from '../formulas/formula-check'
import { stateOf, type FocusedFormula } from './use-focused-formula'

/** The class of the cells of a formula that exceeded a limit. */
const STOPPED = 'FormulaStopped'

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
  const state = isComputed(column) ? stateOf(focused) : undefined
  return (
    <div className="formula-bar" role="group" aria-label={`Formula of ${columnName(column)}`}>
      <code className="formula-bar-text">= {column.fields.formula}</code>
      <span role="status" className={state === 'pending' ? 'note' : 'note error'}>
        {state !== undefined && <StateText context={context} focused={focused} state={state} />}
      </span>
      {canEdit && state !== undefined && <Button onClick={onRecalculate}>Calculate again</Button>}
      <Button onClick={onOpen}>{canEdit ? 'Edit formula' : 'Show formula'}</Button>
    </div>
  )
}

interface StateTextProps extends Pick<FormulaBarProps, 'context'> {
  readonly focused: FocusedFormula
  readonly state: string
}

function StateText({ context, focused, state }: StateTextProps): ReactNode {
  const { column, row } = focused
  const { docId, tableId, canEdit } = context
  const { formula, type } = column.fields
  const hasMessage = canEdit && state !== 'pending' && state !== STOPPED
  // Only the name is stored in the cell as it is read; a check of its row has the rest.
  const { data } = useQuery({
    queryKey: ['formula-error', docId, tableId, column.id, formula, type, row.id, row.fields],
    queryFn: ({ signal }) => {
      const colId = column.id
      const input = { docId, tableId, colId, type, isFormula: true, formula, rowIds: [row.id] }
      return checkFormula(input, signal)
    },
    enabled: hasMessage,
    gcTime: 0,
    retry: false,
  })
  if (state === 'pending') return 'This cell is being calculated.'
  if (state === STOPPED)
    return `${STOPPED}: the formula took too much time or memory. Change it, or calculate it again.`
  const error = data?.rows.find(({ id }) => id === row.id)?.error
  if (error?.name !== state) return state
  return `${describeError(error)}${error.line > 0 ? ` (line ${error.line})` : ''}`
}
