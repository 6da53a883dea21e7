import { parseFormula } from './formula-tree'
import type { FormulaContext } from './inference'
import { findNameUses, type NameUse } from './name-uses'

/** New names of tables and columns, by the names in the schema. */
export interface Renames {
  readonly tables: ReadonlyMap<string, string>
  /** By table and column. */
  readonly columns: ReadonlyMap<string, ReadonlyMap<string, string>>
}

/**
 * The formula with the new names of the tables and columns that it uses; everything else stays as it is. `context` has
 * the names before the renames. A formula that is not Python, or too complicated, is returned unchanged.
 */
export function renameInFormula(
  formula: string,
  context: FormulaContext,
  renames: Renames,
): string {
  if (!mayUse(formula, renames)) return formula
  const parsed = parseFormula(formula)
  const uses = (parsed && findNameUses(parsed, context)) ?? []
  let text = ''
  let end = 0
  for (const use of uses) {
    const name = newName(use, renames)
    if (name === undefined) continue
    text += formula.slice(end, use.from) + name
    end = use.to
  }
  return text + formula.slice(end)
}

/** False for a formula that contains none of the old names: it need not be parsed. */
export function mayUse(formula: string, { tables, columns }: Renames): boolean {
  const ids = [tables, ...columns.values()].flatMap((names) => [...names.keys()])
  return ids.some((id) => formula.includes(id))
}

function newName({ tableId, colId }: NameUse, { tables, columns }: Renames): string | undefined {
  return colId === undefined ? tables.get(tableId) : columns.get(tableId)?.get(colId)
}
