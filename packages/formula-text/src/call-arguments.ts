import type { SyntaxNode } from '@lezer/common'
import { childrenOf, textOf, type FormulaTree } from './formula-tree'

/** An argument of a call. */
export interface CallArgument {
  /** The name of a keyword argument. */
  readonly name?: SyntaxNode
  readonly value: SyntaxNode
}

/** The arguments of a CallExpression, without `*a` and `**b`; none for a comprehension. */
export function argumentsOf(call: SyntaxNode): CallArgument[] {
  const list = call.getChild('ArgList')
  const children = list ? childrenOf(list).slice(1, -1) : []
  if (children.some(({ name }) => name === 'for')) return []
  const args: SyntaxNode[][] = [[]]
  for (const child of children)
    if (child.name === ',') args.push([])
    else args.at(-1)?.push(child)
  return args.flatMap(([first, sign, value]): CallArgument[] => {
    if (first && !sign && !first.name.startsWith('*')) return [{ value: first }]
    return first && sign?.name === 'AssignOp' && value ? [{ name: first, value }] : []
  })
}

/** A name inside a string. */
export interface QuotedName {
  readonly from: number
  readonly to: number
}

const PLAIN_STRING = /^[rRuU]?("""|'''|"|')-?(\w+)\1$/

/** The column names in a string such as `"-A"`, or a tuple of such strings. */
export function quotedNames(parsed: FormulaTree, node: SyntaxNode): QuotedName[] {
  if (node.name === 'TupleExpression' || node.name === 'ParenthesizedExpression')
    return childrenOf(node).flatMap((child) =>
      child.name === 'String' ? quotedNames(parsed, child) : [],
    )
  const [, quote = '', name = ''] = PLAIN_STRING.exec(textOf(parsed, node)) ?? []
  if (name === '') return []
  const to = node.to - quote.length
  return [{ from: to - name.length, to }]
}
