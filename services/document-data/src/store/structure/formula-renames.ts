import { mayUse, renameInFormula, type Renames } from '@sheaf/formula-text/rename'
import { AppError } from '@sheaf/kit/errors'
import { formulaNames } from '../schema/formula-names'
import type { Schema } from '../schema/schema'

/** Characters of all formulas that one rename may have to parse: about two seconds of work. */
const MAX_CHARACTERS = 4_000_000

/** A formula that follows a rename. */
export interface FormulaRename {
  readonly tableRef: number
  readonly columnRef: number
  readonly formula: string
}

/**
 * The formulas that use renamed tables or columns, with the new names; also formulas of defaults. `schema` has the names
 * before the renames, and `except` the refs of columns whose formulas stay. Throws `too_large`.
 */
export function findFormulaRenames(
  schema: Schema,
  renames: Renames,
  except: ReadonlySet<number>,
): FormulaRename[] {
  const names = formulaNames(schema)
  const found: FormulaRename[] = []
  let characters = 0
  for (const { tableId, ref: tableRef, columns } of schema.tables)
    for (const { ref: columnRef, formula } of columns) {
      if (except.has(columnRef) || !mayUse(formula, renames)) continue
      characters += formula.length
      if (characters > MAX_CHARACTERS)
        throw new AppError(
          'too_large',
          'TABLE_TOO_LARGE',
          'too many long formulas may use the name: shorten them before the rename',
        )
      const renamed = renameInFormula(formula, { tableId, schema: names }, renames)
      if (renamed !== formula) found.push({ tableRef, columnRef, formula: renamed })
    }
  return found
}
