import { mayUse, renameInFormula, type Renames } from '@sheaf/formula-text/rename'
import type { FormulaSchema, ValueType } from '@sheaf/formula-text/value-type'
import { AppError } from '@sheaf/kit/errors'
import type { Column, Schema, Table } from '../schema/schema'

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
  const names = namesOf(schema)
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

function namesOf(schema: Schema): FormulaSchema {
  const tables = new Map<string, Table>(schema.tables.map((table) => [table.tableId, table]))
  return {
    hasTable: (tableId) => tables.has(tableId),
    columnType: (tableId, colId) => valueTypeOf(tables.get(tableId)?.byId.get(colId)),
  }
}

function valueTypeOf(column: Column | undefined): ValueType | undefined {
  const { name, argument } = column?.type ?? {}
  if (argument === undefined || (name !== 'Ref' && name !== 'RefList')) return undefined
  return { kind: name === 'Ref' ? 'record' : 'records', tableId: argument }
}
