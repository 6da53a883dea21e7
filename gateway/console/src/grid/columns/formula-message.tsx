import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { Column, Row } from '../../api/resources'
import type { CellContext } from '../../cells/editing/cell-type'
import { errorName, isPending } from '../../formats/value'
import { checkFormula, describeError } from '../../formulas/formula-check'

/** The class of the cells of a formula that exceeded a limit. */
const STOPPED = 'FormulaStopped'

/** State of a computed cell: the class of its error, `pending`, or undefined for a value. */
export const computedState = (value: unknown): string | undefined =>
  isPending(value) ? 'pending' : errorName(value)

interface FormulaMessageProps {
  readonly context: CellContext
  readonly column: Column
  readonly row: Row
}

/** Says why a computed cell has no value; nothing for one that has. */
export function FormulaMessage({ context, column, row }: FormulaMessageProps): ReactNode {
  const { docId, tableId, canEdit } = context
  const { formula, type } = column.fields
  const state = computedState(row.fields[column.id])
  const hasMessage = canEdit && state !== undefined && state !== 'pending' && state !== STOPPED
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
  if (state === undefined) return null
  if (state === 'pending') return 'This cell is being calculated.'
  if (state === STOPPED)
    return `${STOPPED}: the formula took too much time or memory. Change it, or calculate it again.`
  const error = data?.rows.find(({ id }) => id === row.id)?.error
  if (error?.name !== state) return state
  return `${describeError(error)}${error.line > 0 ? ` (line ${error.line})` : ''}`
}
