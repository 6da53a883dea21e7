import { RateLimitedError, UnavailableError } from '@sheaf/client'
import { useEffect, useState } from 'react'
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

interface Outcome extends Omit<FormulaCheckState, 'isChecking'> {
  /** The input that it belongs to. */
  readonly key: string
  /** True when the input is tried again. */
  readonly isRetried: boolean
}

/**
 * Checks a formula while it is edited: after a pause in typing, and never twice at the same time.
 * @param rowIds called for each check
 */
export function useFormulaCheck(
  { docId, tableId, colId, type, isFormula, formula }: CheckedInput,
  rowIds: () => readonly number[],
): FormulaCheckState {
  const key = JSON.stringify([docId, tableId, colId, type, isFormula, formula])
  const isEmpty = formula.trim() === ''
  const [outcome, setOutcome] = useState<Outcome>({ key: '', isRetried: false })
  const [flight] = useState(() => createFlight(setOutcome))
  useEffect(() => {
    if (isEmpty) return flight.cancel()
    const input = { docId, tableId, colId, type, isFormula, formula, rowIds: rowIds() }
    flight.give({ key, input })
  }, [flight, key, isEmpty, docId, tableId, colId, type, isFormula, formula, rowIds])
  useEffect(() => () => flight.cancel(), [flight])
  if (isEmpty) return { isChecking: false }
  const { checked, error, isRetried } = outcome
  return { checked, error, isChecking: outcome.key !== key || isRetried }
}

interface KeyedInput {
  readonly key: string
  readonly input: FormulaInput
}

function createFlight(
  setOutcome: (change: (before: Outcome) => Outcome) => void,
): SingleFlight<KeyedInput, Outcome> {
  return new SingleFlight<KeyedInput, Outcome>(
    async ({ key, input }, signal) => {
      const checked = await checkFormula(input, signal)
      return { key, checked, isRetried: false }
    },
    {
      onResult: (outcome) => setOutcome(() => outcome),
      onError: (error, { key }) => {
        const isRetried = error instanceof UnavailableError || error instanceof RateLimitedError
        setOutcome(({ checked }) => ({ key, checked, error, isRetried }))
        return isRetried ? RETRY_MS : undefined
      },
    },
    DELAY_MS,
  )
}
