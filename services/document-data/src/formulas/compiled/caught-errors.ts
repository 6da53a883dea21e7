import { childrenOf, type SyntaxNode } from '@sheaf/formula-text/formula-tree'
import type { PartCompiler } from './formula-parts'
import { Unsupported } from './unsupported'
import type { FormulaError } from './values/values'

type Catches = (error: FormulaError) => boolean

const catchesDivision: Catches = ({ name, isOfCell }) => !isOfCell && name === 'ZeroDivisionError'
const catchesAll: Catches = () => true
const catchesNone: Catches = () => false

/**
 * The errors that `except` catches by the name of their class. The error of a cell that is read is of a class of its own;
 * other errors than divisions by zero are Python's, so that these names catch none.
 */
const classes: ReadonlyMap<string, Catches> = new Map([
  ['Exception', catchesAll],
  ['ZeroDivisionError', catchesDivision],
  ['ArithmeticError', catchesDivision],
  ...[
    ...['AttributeError', 'IndexError', 'KeyError', 'LookupError', 'NameError'],
    ...['OverflowError', 'RuntimeError', 'TypeError', 'ValueError'],
  ].map((name): [string, Catches] => [name, catchesNone]),
])

/** The errors of `except A` or `except (A, B)`. Throws Unsupported. */
export function caughtErrors(compiler: PartCompiler, node: SyntaxNode | undefined): Catches {
  const isTuple = node?.name === 'TupleExpression'
  const names = isTuple ? childrenOf(node).filter(({ name }) => !'(,)'.includes(name)) : [node]
  const catches = names.map((name) => classOf(compiler, name))
  return (error) => catches.some((one) => one(error))
}

function classOf(compiler: PartCompiler, node: SyntaxNode | undefined): Catches {
  const { parts } = compiler
  const name = node?.name === 'VariableName' ? compiler.text(node) : ''
  const isOwn = parts.names.has(name) || parts.schema.tables.some(({ tableId }) => tableId === name)
  const found = isOwn ? undefined : classes.get(name)
  if (!found) throw new Unsupported('the errors that try names')
  return found
}
