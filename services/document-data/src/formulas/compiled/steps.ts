import type { Frame, Run } from './frame'
import {
  FormulaError,
  isTrue,
  ListValue,
  needsPython,
  RecordsValue,
  RecordValue,
  stepsOf,
  type Value,
} from './values/values'

/** Ends a loop, or one round of it. */
export class Jump {
  static readonly break = new Jump('break')
  static readonly continue = new Jump('continue')

  private constructor(readonly kind: 'break' | 'continue') {}
}

/** Runs a statement. Returns the value of a `return`, a jump, or undefined when the next statement follows. */
export type Step = (frame: Frame) => Value | Jump | undefined

/** Runs statements one after the other. */
export function runSteps(steps: readonly Step[], frame: Frame): Value | Jump | undefined {
  for (const step of steps) {
    const value = step(frame)
    if (value !== undefined) return value
  }
  return undefined
}

/** `name = value`. */
export function assign(place: number, run: Run): Step {
  return (frame) => {
    const assigned = run(frame)
    frame.source.spend(stepsOf(assigned))
    frame.names[place] = assigned
    return undefined
  }
}

/** `for name in source`. */
export function forEach(place: number, source: Run, steps: readonly Step[]): Step {
  return (frame) => {
    for (const item of itemsOf(source(frame))) {
      frame.source.spend(1)
      frame.names[place] = item
      const value = runSteps(steps, frame)
      if (value === Jump.break) break
      if (value !== undefined && value !== Jump.continue) return value
    }
    return undefined
  }
}

function itemsOf(value: Value): readonly Value[] {
  if (value instanceof RecordsValue)
    return value.rows.map((row) => new RecordValue(value.table, row))
  return value instanceof ListValue ? value.items : needsPython()
}

/** `while test`. */
export function repeat(test: Run, steps: readonly Step[]): Step {
  return (frame) => {
    while (isTrue(test(frame))) {
      frame.source.spend(1)
      const value = runSteps(steps, frame)
      if (value === Jump.break) break
      if (value !== undefined && value !== Jump.continue) return value
    }
    return undefined
  }
}

/** What follows an error. */
export interface Handler {
  readonly catches: (error: FormulaError) => boolean
  readonly steps: readonly Step[]
}

/** `try` with what follows errors. */
export function attempt(steps: readonly Step[], handlers: readonly Handler[]): Step {
  return (frame) => {
    try {
      return runSteps(steps, frame)
    } catch (error) {
      if (!(error instanceof FormulaError)) throw error
      const handler = handlers.find(({ catches }) => catches(error))
      if (!handler) throw error
      return runSteps(handler.steps, frame)
    }
  }
}
