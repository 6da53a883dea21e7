import type { DocumentReader } from '../../store/document'
import { fromLog, logValue } from '../../store/log/log'
import { findCompiled } from '../compiled/compiled-columns'
import { computeCells } from '../compiled/compute-cells'
import { LookupTotals } from '../compiled/lookup-totals'
import { readCells, type CheckedFormula } from './checked-formula'
import type { CheckPlan } from './check-plan'

/** A check reads few keys, and leaves no trace in the document. */
const NO_INDEXES = { has: () => false, missed: () => {}, used: () => {} }

/**
 * Checks a formula that needs no Python in the rows of the plan. Undefined where only Python has the result: for errors, of
 * which it knows the line, and for formulas that read what would be computed again.
 */
export function checkCompiled(doc: DocumentReader, plan: CheckPlan): CheckedFormula | undefined {
  const { schema, column, isTrigger, rowIds, dependents, unstored } = plan
  const compiled = isTrigger ? undefined : findCompiled(schema, column.ref)
  if (!compiled || [...compiled.formula.columns.keys()].some((ref) => dependents.has(ref)))
    return undefined
  const wanted = { rows: rowIds, isUnstored: unstored !== undefined }
  const aids = { indexes: NO_INDEXES, totals: new LookupTotals() }
  const { results, left, done } = computeCells(doc.connection, compiled, wanted, aids)
  if (left.length > 0 || done.timings.some(({ errors }) => errors > 0)) return undefined
  const values = results.values.map((value) => fromLog(logValue(value)))
  const found = {
    kind: 'done',
    done,
    results: new Map([[column.ref, { ...results, values }]]),
  } as const
  return {
    syntaxErrors: [],
    unknownNames: [],
    cells: readCells(doc, plan, { ...found, syntax: [] }),
  }
}
