import type { Frame, Run } from './frame'
import { Unsupported } from './unsupported'
import { FormulaError, isTrue, needsPython, type Value } from './values/values'

/** Functions that compute an argument only when they need it, or that take its error for a value. */
export const lazyFunctions: Readonly<Record<string, (args: readonly Run[]) => Run>> = {
  IF: ([condition, yes, no, ...more]) => {
    if (!condition || !yes || !no || more.length > 0) throw new Unsupported('the arguments of IF')
    return (frame) => (isTrue(condition(frame)) ? yes(frame) : no(frame))
  },
  IFERROR: ([value, otherwise, ...more]) => {
    if (!value || more.length > 0) throw new Unsupported('the arguments of IFERROR')
    const instead = otherwise ?? (() => '')
    return (frame) => {
      const result = tryRun(value, frame)
      return result === undefined || Number.isNaN(result) ? instead(frame) : result
    }
  },
  ISERROR: ([value, ...more]) => {
    if (!value || more.length > 0) throw new Unsupported('the arguments of ISERROR')
    return (frame) => {
      const result = tryRun(value, frame)
      return result === undefined || Number.isNaN(result)
    }
  },
  ISERR: ([value, ...more]) => {
    if (!value || more.length > 0) throw new Unsupported('the arguments of ISERR')
    return (frame) => tryRun(value, frame) === undefined
  },
}

/** The value; undefined in place of an error. */
function tryRun(run: Run, frame: Frame): Value | undefined {
  try {
    return run(frame)
  } catch (error) {
    if (error instanceof FormulaError) return undefined
    throw error
  }
}

/** Leaves cells with an error to Python, which may end a loop before the item that has the error. */
export function withoutErrors(run: Run): Run {
  return (frame) => tryRun(run, frame) ?? needsPython()
}
