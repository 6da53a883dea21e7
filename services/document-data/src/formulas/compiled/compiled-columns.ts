import type { Schema } from '../../store/schema/schema'
import { columnsOf, isTrigger, type ColumnOfTable } from '../dependencies/formula-columns'
import { compiledFormula, isCompiled, type CompiledFormula } from './compiled-formula'

/** A formula column that is computed without Python. */
export interface CompiledColumn {
  readonly of: ColumnOfTable
  readonly formula: CompiledFormula
}

/**
 * Of the columns with cells to compute, those that need no Python, each after those that it reads. What reads a cell that
 * Python computes first, or one that is not computed yet, is left to Python.
 */
export function orderCompiled(
  schema: Schema,
  columnRefs: ReadonlySet<number>,
  isPossible: (column: CompiledColumn) => boolean,
): CompiledColumn[] {
  const left = new Map<number, CompiledColumn>()
  for (const ref of columnRefs) {
    const column = findCompiled(schema, ref)
    if (column && isPossible(column)) left.set(ref, column)
  }
  const open = new Set(columnRefs)
  const ordered: CompiledColumn[] = []
  for (let isFound = true; isFound;) {
    isFound = false
    for (const [ref, column] of left) {
      if ([...column.formula.columns.keys()].some((read) => open.has(read))) continue
      isFound = true
      left.delete(ref)
      open.delete(ref)
      ordered.push(column)
    }
  }
  return ordered
}

/** A column with its compiled formula, if the cells that it reads are all computed. */
export function findCompiled(schema: Schema, columnRef: number): CompiledColumn | undefined {
  const of = columnsOf(schema).byRef.get(columnRef)
  if (!of || isTrigger(of)) return undefined
  const formula = compiledFormula(schema, of)
  if (!isCompiled(formula)) return undefined
  const isFinished = [...formula.columns.values()].every(
    ({ column }) =>
      column.ref !== columnRef && column.pendingAfter === undefined && !column.stopped,
  )
  return isFinished ? { of, formula } : undefined
}
