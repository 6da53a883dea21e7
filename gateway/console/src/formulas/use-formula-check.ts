import { useEffect, useState } from 'react'
import { ApiError } from '../api/client'
import { checkFormula, type CheckedFormula, type FormulaInput } from './formula-check'
import { SingleFlight } from './single-flight'

/** Pause in typing after which a formula is checked, in milliseconds. */
const DELAY_MS = 300
const RETRY_MS = 1_500

/** What is known of the formula. */
export interface FormulaCheckState {
  /** The latest result, possibly of an earlier text; undefined before the first one and without a formula. */
  readonly checked?: CheckedFormula
  /** Why the formula could not be checked. */
  readonly error?: unknown
  /** True while a check is due or runs. */
  readonly isChecking: boolean
}

/** A formula to check, without the rows. */
export type CheckedInput = Omit<FormulaInput, 'rowIds'>

const idle: FormulaCheckState = { isChecking: false }

/**
 * Checks a formula while it is edited: after a pause in typing, and never twice at the same time.
 * @param rowIds called for each check
 */
export function useFormulaCheck(
  { docId, tableId, colId, type, isFormula, formula }: CheckedInput,
  rowIds: () => readonly number[],
): FormulaCheckState {
  const [state, setState] = useState(idle)
  const [flight] = useState(
    () =>
      new SingleFlight<FormulaInput, CheckedFormula>(
        checkFormula,
        {
          onResult: (checked) => setState({ checked, isChecking: false }),
          onError: (error) => {
            const isBusy = error instanceof ApiError && [0, 429, 503].includes(error.status)
            setState(({ checked }) => ({ checked, error, isChecking: isBusy }))
            return isBusy ? RETRY_MS : undefined
          },
        },
        DELAY_MS,
      ),
  )
  useEffect(() => {
    if (formula.trim() === '') {
      flight.cancel()
      setState(idle)
      return
    }
    setState(({ checked, error }) => ({ checked, error, isChecking: true }))
    flight.give({ docId, tableId, colId, type, isFormula, formula, rowIds: rowIds() })
  }, [flight, docId, tableId, colId, type, isFormula, formula, rowIds])
  useEffect(() => () => flight.cancel(), [flight])
  return state
}
