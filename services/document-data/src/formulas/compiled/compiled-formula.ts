import { parseFormula } from '@sheaf/formula-text/formula-tree'
import { isComputed } from '../../store/structure/column-cells'
import type { Schema } from '../../store/schema/schema'
import type { ColumnOfTable } from '../dependencies/formula-columns'
import type { ReadMessage } from '../exchange/messages'
import { ExpressionCompiler } from './expressions'
import { FormulaParts, type FormulaLookup } from './formula-parts'
import type { Run } from './frame'
import { compileStatements } from './statements'
import { encoderOf, type Encode } from './stored-values'
import { Unsupported } from './unsupported'

/** Characters of a formula that is compiled at most. */
const MAX_LENGTH = 2_000

/** A formula that runs without Python. */
export interface CompiledFormula {
  /** The columns of the own row that it reads: the cells of a frame. */
  readonly ownColumns: readonly ColumnOfTable[]
  /** All columns that it reads, by ref. */
  readonly columns: ReadonlyMap<number, ColumnOfTable>
  readonly reads: readonly ReadMessage[]
  readonly lookups: readonly FormulaLookup[]
  /** How many names it assigns to. */
  readonly nameCount: number
  readonly run: Run
  /** The stored form of its results. */
  readonly encode: Encode
}

/** A formula that needs Python, and why: the part of it that is not compiled. */
export interface PythonFormula {
  readonly reason: string
}

const known = new WeakMap<Schema, Map<number, CompiledFormula | PythonFormula>>()

/** Compiles the formula of a column; once for each schema. */
export function compiledFormula(
  schema: Schema,
  of: ColumnOfTable,
): CompiledFormula | PythonFormula {
  const formulas = known.get(schema) ?? new Map<number, CompiledFormula | PythonFormula>()
  known.set(schema, formulas)
  const { ref } = of.column
  const found = formulas.get(ref) ?? tryCompile(schema, of)
  formulas.set(ref, found)
  return found
}

/** True for a formula that runs without Python. */
export function isCompiled(formula: CompiledFormula | PythonFormula): formula is CompiledFormula {
  return 'run' in formula
}

function tryCompile(schema: Schema, of: ColumnOfTable): CompiledFormula | PythonFormula {
  try {
    return compile(schema, of)
  } catch (error) {
    if (error instanceof Unsupported) return { reason: error.message }
    throw error
  }
}

function compile(schema: Schema, { table, column }: ColumnOfTable): CompiledFormula {
  if (!isComputed(column)) throw new Unsupported('its being a trigger formula')
  const text = column.formula.trim()
  if (text.length > MAX_LENGTH) throw new Unsupported('its length')
  // The blanks before a line are a part of it in Python, except before the first one.
  const isIndented = text.includes('\n') && text !== column.formula.trimEnd()
  if (isIndented || text.includes('\t')) throw new Unsupported('its indentation')
  const encode = encoderOf(column, schema)
  if (!encode) throw new Unsupported(`the type ${column.type.name}`)
  const parsed = parseFormula(text)
  if (!parsed) throw new Unsupported('its syntax')
  const parts = new FormulaParts(table, schema)
  const compiler = new ExpressionCompiler(parsed, parts)
  const run = compileStatements(compiler, parsed.tree.topNode)
  const { ownColumns, columns, reads, lookups } = parts
  return { ownColumns, columns, reads, lookups, nameCount: parts.placeCount, run, encode }
}
