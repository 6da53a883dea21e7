import { RelationAssumptions } from '../../formulas/dependencies/assumed-relations'
import { columnsOf } from '../../formulas/dependencies/formula-columns'
import { FormulaStates } from '../../formulas/formula-states'
import type { DocumentWriter } from '../../store/document'

/** Formulas with these names depend on the time. */
const VOLATILE = /\b(?:NOW|TODAY|now|today|utcnow)\b/

/**
 * Marks the cells of all formula columns computed, except of `uncomputed` ones. They are computed again when something
 * changes that they depend on by the text of their formula.
 */
export function keepFormulaResults(target: DocumentWriter, uncomputed: ReadonlySet<number>): void {
  const { connection, schema } = target
  const states = new FormulaStates(connection)
  const assumptions = new RelationAssumptions(schema)
  for (const of of columnsOf(schema).computed) {
    const { ref, formula } = of.column
    const relations = uncomputed.has(ref) ? undefined : assumptions.assume(of)
    if (!relations) continue
    states.renew([ref])
    states.setRelations(ref, relations)
    if (VOLATILE.test(formula)) states.setVolatile(ref, true)
  }
  target.schemaChanged()
}
