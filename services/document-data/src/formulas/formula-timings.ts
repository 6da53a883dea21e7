import type { DoneMessage } from './exchange/messages'

/** What computing a column has taken since its document was opened. */
export interface FormulaTiming {
  /** Cells computed, … */
  readonly cells: number
  /** … of which so many became errors, … */
  readonly errors: number
  /** … and so many needed no Python, … */
  readonly compiled: number
  /** … in so many milliseconds. */
  readonly ms: number
}

/** The time that the formulas of a document take, by column ref. */
export class FormulaTimings {
  private readonly byRef = new Map<number, FormulaTiming>()
  private readonly missed = new Map<number, number>()

  /** Adds the timings of one exchange, or of cells that needed no Python. */
  add(timings: DoneMessage['timings'], isCompiled: boolean): void {
    for (const { column, cells, errors, micros } of timings) {
      const known = this.of(column)
      this.byRef.set(column, {
        cells: known.cells + cells,
        errors: known.errors + errors,
        compiled: known.compiled + (isCompiled ? cells : 0),
        ms: known.ms + micros / 1000,
      })
    }
  }

  /** Counts cells whose trigger formula did not run and will not. */
  miss(columnRef: number, cells: number): void {
    this.missed.set(columnRef, this.missedOf(columnRef) + cells)
  }

  /** Cells of a column whose trigger formula did not run and will not. */
  missedOf(columnRef: number): number {
    return this.missed.get(columnRef) ?? 0
  }

  /** The timing of a column; zeros for one that was not computed. */
  of(columnRef: number): FormulaTiming {
    return this.byRef.get(columnRef) ?? { cells: 0, errors: 0, compiled: 0, ms: 0 }
  }
}
