/** Limits of formulas in Python. */
export interface FormulaLimits {
  /** Folder for the files of the evaluator, which can be made again. */
  readonly cacheFolder: string
  /** Processes; each serves one document. */
  readonly evaluators: number
  /** Memory of a process. */
  readonly memoryBytes: number
  /** Time for the formulas of one group of writes. */
  readonly computeMs: number
  /** Cells that are computed within the write itself; those of a larger change are computed afterwards. */
  readonly writeCells: number
}
