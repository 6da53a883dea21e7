import type { ReactNode } from 'react'
import { errorName } from '../../formats/value'

/** An error of a formula, or a cell that is not computed yet. */
export function FormulaState({ value }: { readonly value: unknown }): ReactNode {
  const name = errorName(value)
  return name === undefined ? 'pending…' : `#${name}`
}
