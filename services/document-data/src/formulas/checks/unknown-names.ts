import { parseFormula } from '@sheaf/formula-text/formula-tree'
import {
  findUnknownNames,
  TABLE_METHODS,
  type UnknownName as Found,
} from '@sheaf/formula-text/unknown-names'
import { findNearMiss, type NearMiss } from '@sheaf/kit/near-miss'
import { nearColumn } from '../../query/table-shape'
import { formulaNames } from '../../store/schema/formula-names'
import type { Schema } from '../../store/schema/schema'

/** Unknown names that are reported. */
const MAX_NAMES = 20

/** A name in a formula that nothing has, and the one that was probably meant. Lines and columns count from 1. */
export interface UnknownName {
  readonly kind: Found['kind']
  readonly name: string
  /** Table id; empty unless a column is unknown. */
  readonly tableId: string
  readonly line: number
  readonly column: number
  readonly suggestion?: string
}

/** A formula of a table, and the names that formulas see beside tables and columns. */
export interface NamedFormula {
  readonly formula: string
  readonly tableId: string
  readonly names: readonly string[]
}

/** The unknown names of a formula, in their order; none for a formula that is not Python. */
export function describeUnknownNames(
  schema: Schema,
  { formula, tableId, names }: NamedFormula,
): UnknownName[] {
  const parsed = parseFormula(formula)
  const known = new Set([...names, ...OWN_NAMES])
  const found =
    parsed &&
    findUnknownNames(
      parsed,
      { tableId, schema: formulaNames(schema) },
      {
        hasColumn: (table, colId) => schema.find(table)?.byId.has(colId) ?? false,
        hasName: (name) => known.has(name) || /^__\w+__$/.test(name),
      },
    )
  return (found ?? []).slice(0, MAX_NAMES).map(({ from, to, kind, tableId: table = '' }) => {
    const before = formula.slice(0, from)
    const name = formula.slice(from, to)
    return {
      kind,
      name,
      tableId: table,
      line: before.split('\n').length,
      column: from - before.lastIndexOf('\n'),
      ...suggest({ kind, name, tableId: table }, schema, names).details,
    }
  })
}

const OWN_NAMES = ['rec', 'table']

function suggest(
  { kind, name, tableId }: Pick<UnknownName, 'kind' | 'name' | 'tableId'>,
  schema: Schema,
  names: readonly string[],
): NearMiss {
  if (kind === 'method') return findNearMiss(name, TABLE_METHODS)
  const table = kind === 'column' ? schema.find(tableId) : undefined
  return table ? nearColumn(name, table) : findNearMiss(name, names)
}
