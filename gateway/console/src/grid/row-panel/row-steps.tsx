import type { ReactNode } from 'react'
import { Button } from '../../components/button'
import { Icon } from '../../components/icon'
import type { Step } from './neighbor'

/** The place of a row in the view, and the way to its neighbors. */
export interface RowSteps {
  /** Undefined if it is not known. */
  readonly index: number | undefined
  /** Number of rows of the view; undefined until they are counted. */
  readonly total: number | undefined
  /** Shows the row after or before this one. */
  readonly go: (step: Step) => void
}

const directions = [
  [-1, 'Previous row', 'Alt+↑', 'up'],
  [1, 'Next row', 'Alt+↓', 'down'],
] as const

/** Returns true if there is a row in that direction, as far as is known. */
export function canGo({ index, total = Infinity }: RowSteps, step: Step): boolean {
  return index !== undefined && index + step >= 0 && index + step < total
}

/** Buttons for the rows before and after. */
export function StepButtons(steps: RowSteps): ReactNode {
  const isPlaced = steps.index !== undefined
  return directions.map(([step, name, keys, icon]) => (
    <Button
      key={name}
      kind="quiet"
      className="icon"
      aria-label={name}
      title={isPlaced ? `${name} (${keys})` : `${name}: scroll to this row in the table first`}
      // A disabled button would lose the keyboard focus at the last row.
      aria-disabled={!canGo(steps, step)}
      onClick={() => canGo(steps, step) && steps.go(step)}
    >
      <Icon name={icon} />
    </Button>
  ))
}
