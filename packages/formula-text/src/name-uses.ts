import type { SyntaxNode } from '@lezer/common'
import { argumentsOf, quotedNames, type CallArgument } from './call-arguments'
import { textOf, type FormulaTree } from './formula-tree'
import { Inference, TooComplicated, type FormulaContext } from './inference'
import type { ValueType } from './value-type'

/** A place of a formula that names a table, or a column of a table; the column need not exist. */
export interface NameUse {
  readonly from: number
  readonly to: number
  readonly tableId: string
  /** Absent where the table itself is named. */
  readonly colId?: string
}

/** Functions that take a record and arguments that name columns of its table. */
const ORDERED: ReadonlySet<string> = new Set(['PREVIOUS', 'NEXT', 'RANK'])
/** Keyword arguments whose strings name columns. */
const NAMING: ReadonlySet<string> = new Set(['order_by', 'sort_by', 'group_by'])
/** The function whose keyword arguments are columns of its first argument. */
const BY_FIELDS: ReadonlySet<string> = new Set(['VLOOKUP'])

/**
 * The places where a formula names tables and columns, in their order. Names that depend on values whose type cannot be
 * told from the text, such as parameters of functions, are left out. Undefined for a formula that is too complicated.
 */
export function findNameUses(
  parsed: FormulaTree,
  context: FormulaContext,
): readonly NameUse[] | undefined {
  try {
    return new UseFinder(parsed, context).find()
  } catch (error) {
    if (error instanceof TooComplicated) return undefined
    throw error
  }
}

class UseFinder {
  private readonly uses: NameUse[] = []
  private readonly inference: Inference

  constructor(
    private readonly parsed: FormulaTree,
    context: FormulaContext,
  ) {
    this.inference = new Inference(parsed, context)
  }

  find(): NameUse[] {
    this.parsed.tree.iterate({
      enter: ({ name, node }) => {
        if (name === 'VariableName') this.addVariable(node)
        else if (name === 'MemberExpression') this.addAttribute(node)
        else if (name === 'CallExpression') this.addCall(node)
      },
    })
    return this.uses.sort((a, b) => a.from - b.from)
  }

  private addVariable(node: SyntaxNode): void {
    if (textOf(this.parsed, node).startsWith('$')) {
      this.addColumn(this.inference.typeOfRow(node), { from: node.from + 1, to: node.to })
      return
    }
    const tableId = this.inference.tableNamed(node)
    if (tableId !== undefined) this.uses.push({ from: node.from, to: node.to, tableId })
  }

  private addAttribute(node: SyntaxNode): void {
    const { firstChild: owner, lastChild: name } = node
    if (owner && name?.name === 'PropertyName') this.addColumn(this.inference.typeOf(owner), name)
  }

  private addCall(call: SyntaxNode): void {
    const callee = call.firstChild
    if (!callee) return
    const args = argumentsOf(call)
    const [first] = args
    const type = first && !first.name ? first.value : undefined
    if (this.inference.isFunction(callee, BY_FIELDS))
      this.addKeywords(type && this.inference.typeOf(type), args)
    else if (this.inference.isFunction(callee, ORDERED))
      this.addNaming(type && this.inference.typeOf(type), args)
    else if (callee.name === 'MemberExpression') this.addLookup(callee, args)
  }

  private addLookup({ firstChild, lastChild }: SyntaxNode, args: readonly CallArgument[]): void {
    if (!firstChild || !lastChild || !/^lookup(One|Records)$/.test(textOf(this.parsed, lastChild)))
      return
    const type = this.inference.typeOf(firstChild)
    if (type?.kind !== 'table') return
    this.addKeywords(type, args)
    this.addNaming(type, args)
  }

  private addKeywords(type: ValueType | undefined, args: readonly CallArgument[]): void {
    for (const { name } of args)
      if (name && type && !NAMING.has(textOf(this.parsed, name)))
        this.addColumn({ ...type, kind: 'record' }, name)
  }

  private addNaming(type: ValueType | undefined, args: readonly CallArgument[]): void {
    for (const { name, value } of args)
      if (name && type && NAMING.has(textOf(this.parsed, name)))
        for (const place of quotedNames(this.parsed, value))
          this.addColumn({ ...type, kind: 'record' }, place)
  }

  /** Adds a use of a column of a record or of records. */
  private addColumn(type: ValueType | undefined, { from, to }: Pick<NameUse, 'from' | 'to'>): void {
    if (type?.kind !== 'record' && type?.kind !== 'records') return
    const colId = textOf(this.parsed, { from, to })
    this.uses.push({ from, to, tableId: type.tableId, colId })
  }
}
