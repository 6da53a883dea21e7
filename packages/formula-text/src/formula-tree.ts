import type { SyntaxNode, Tree } from '@lezer/common'
import { parser } from '@lezer/python'

export type { SyntaxNode }

/** A parsed formula. */
export interface FormulaTree {
  readonly formula: string
  /** Its syntax, with the offsets of the formula; `$A` is a VariableName. */
  readonly tree: Tree
}

/** Longer formulas are not parsed: what is done with a tree must take a bounded time. */
const MAX_LENGTH = 50_000
/** Brackets inside each other: Python refuses more, and parsing takes a time that grows with their square. */
const MAX_BRACKETS = 200
const COLUMN = /(?<!\w)\$(?=[A-Za-z_])/g
/** The grammar has no template strings; formatted strings have the same syntax. */
const TEMPLATE = /(?<!\w)(r?)t(r?)(?=["'])/gi
/** Private characters, which the grammar takes for letters. */
const FIRST_MARK = 0xe000
const MARKS = 6400

/**
 * Parses a formula; undefined if it is not Python, or longer than 50,000 characters. Python has no `$A`: a letter that
 * the formula does not contain replaces the sign, so that offsets stay the same.
 */
export function parseFormula(formula: string): FormulaTree | undefined {
  if (formula.length > MAX_LENGTH || deepestBracket(formula) > MAX_BRACKETS) return undefined
  const mark = freeMark(formula)
  if (mark === undefined) return undefined
  const tree = parser.parse(formula.replace(COLUMN, mark).replace(TEMPLATE, '$1f$2'))
  return hasErrors(tree) ? undefined : { formula, tree }
}

/** The source of a node. */
export function textOf(
  { formula }: FormulaTree,
  { from, to }: Pick<SyntaxNode, 'from' | 'to'>,
): string {
  return formula.slice(from, to)
}

/** The nodes directly inside a node, without comments. */
export function childrenOf(node: SyntaxNode): SyntaxNode[] {
  const children: SyntaxNode[] = []
  for (let child = node.firstChild; child; child = child.nextSibling)
    if (child.name !== 'Comment') children.push(child)
  return children
}

function deepestBracket(formula: string): number {
  let [depth, deepest] = [0, 0]
  for (const [bracket] of formula.matchAll(/[([{}\])]/g)) {
    depth += '([{'.includes(bracket) ? 1 : -1
    deepest = Math.max(deepest, depth)
  }
  return deepest
}

function freeMark(formula: string): string | undefined {
  for (let code = FIRST_MARK; code < FIRST_MARK + MARKS; code++) {
    const mark = String.fromCharCode(code)
    if (!formula.includes(mark)) return mark
  }
  return undefined
}

function hasErrors(tree: Tree): boolean {
  const cursor = tree.cursor()
  do if (cursor.type.isError) return true
  while (cursor.next())
  return false
}
