import type { SyntaxNode } from '@lezer/common'
import { textOf, type FormulaTree } from './formula-tree'
import { Inference, TooComplicated, type FormulaContext } from './inference'
import { findNameUses } from './name-uses'

/** A name in a formula that nothing has: a column of a table, a method of tables, or any other name. */
export interface UnknownName {
  readonly from: number
  readonly to: number
  readonly kind: 'column' | 'method' | 'name'
  /** The table of an unknown column. */
  readonly tableId?: string
}

/** What names there are beside those that a formula binds itself. */
export interface KnownNames {
  hasColumn(tableId: string, colId: string): boolean
  /** Functions, modules, tables and the names of Python. */
  hasName(name: string): boolean
}

/** Attributes of records and record sets that are not columns. */
const ATTRIBUTES: ReadonlySet<string> = new Set(['id', 'find'])
/** What tables have. */
export const TABLE_METHODS: readonly string[] = ['all', 'lookupRecords', 'lookupOne']

/**
 * The names in a formula that nothing has, in their order. What cannot be known from the text is taken as right. Undefined
 * for a formula that is too complicated.
 */
export function findUnknownNames(
  parsed: FormulaTree,
  context: FormulaContext,
  known: KnownNames,
): readonly UnknownName[] | undefined {
  const uses = findNameUses(parsed, context)
  if (!uses) return undefined
  const columns = uses.flatMap(({ from, to, tableId, colId }): UnknownName[] =>
    colId === undefined || isKnownColumn(tableId, colId, known)
      ? []
      : [{ from, to, kind: 'column', tableId }],
  )
  try {
    const others = findOthers(parsed, new Inference(parsed, context), known)
    return [...columns, ...others].sort((a, b) => a.from - b.from)
  } catch (error) {
    if (error instanceof TooComplicated) return undefined
    throw error
  }
}

function isKnownColumn(tableId: string, colId: string, known: KnownNames): boolean {
  return ATTRIBUTES.has(colId) || colId.startsWith('_') || known.hasColumn(tableId, colId)
}

function findOthers(parsed: FormulaTree, inference: Inference, known: KnownNames): UnknownName[] {
  const found: UnknownName[] = []
  const add = ({ from, to }: SyntaxNode, kind: UnknownName['kind']) =>
    found.push({ from, to, kind })
  parsed.tree.iterate({
    enter: ({ name, node }) => {
      if (name === 'VariableName' && inference.isOutside(node)) {
        const text = textOf(parsed, node)
        if (!text.startsWith('$') && !known.hasName(text)) add(node, 'name')
      } else if (name === 'MemberExpression') {
        const { firstChild: owner, lastChild: member } = node
        if (!owner || member?.name !== 'PropertyName') return
        const isMethod = TABLE_METHODS.includes(textOf(parsed, member))
        if (!isMethod && inference.typeOf(owner)?.kind === 'table') add(member, 'method')
      }
    },
  })
  return found
}
