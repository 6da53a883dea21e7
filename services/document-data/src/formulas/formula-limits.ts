/** What computing the formulas of a write may take. */
export interface ComputeLimits {
  /** Milliseconds for the formulas of one group of writes; one column has half of it. */
  readonly computeMs: number
  /** Cells that are computed within the write itself; those of a larger change are computed afterwards. */
  readonly writeCells: number
  /** False to compute all formulas in Python, also those that need none. */
  readonly compiles: boolean
}

/** Limits of formulas in Python. */
export interface FormulaLimits extends ComputeLimits {
  /** Folder for the files of the evaluator, which can be made again. */
  readonly cacheFolder: string
  /** Processes; each serves one document. */
  readonly evaluators: number
  /** Memory of a process. */
  readonly memoryBytes: number
}
