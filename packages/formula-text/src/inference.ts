import type { SyntaxNode } from '@lezer/common'
import { argumentsOf } from './call-arguments'
import { childrenOf, textOf, type FormulaTree } from './formula-tree'
import { findScopes, type Binding, type NameScopes, type Scope } from './scopes'
import {
  attributeType,
  itemType,
  methodType,
  type FormulaSchema,
  type ValueType,
} from './value-type'

/** Where a formula stands, and what it can name. */
export interface FormulaContext {
  /** The table of the formula's column. */
  readonly tableId: string
  readonly schema: FormulaSchema
}

/** Functions that return their first argument, or a record of its table. */
const OF_FIRST: ReadonlySet<string> = new Set(['PREVIOUS', 'NEXT', 'PEEK', 'VLOOKUP'])
/** Steps for one formula: names that depend on each other could take exponentially many. */
const MAX_STEPS = 100_000
/** Expressions inside each other. */
const MAX_DEPTH = 200

/** Thrown for a formula whose types would take too long to find. */
export class TooComplicated extends Error {}

/** Finds the types of the expressions of one formula. */
export class Inference {
  private readonly scopes: NameScopes
  /** Types of names by scope; undefined for names that are being looked at, and for values of other types. */
  private readonly known = new Map<Scope, Map<string, ValueType | undefined>>()
  /** Forget the names of `known`, in the order in which they were found. */
  private readonly found: (() => void)[] = []
  private steps = 0
  private depth = 0

  constructor(
    private readonly parsed: FormulaTree,
    private readonly context: FormulaContext,
  ) {
    this.scopes = findScopes(parsed)
  }

  /** The type of an expression. Throws TooComplicated. */
  typeOf(node: SyntaxNode): ValueType | undefined {
    if (++this.steps > MAX_STEPS) throw new TooComplicated()
    if (this.depth >= MAX_DEPTH) return undefined
    this.depth++
    try {
      return this.infer(node)
    } finally {
      this.depth--
    }
  }

  /** The table that a VariableName names; undefined for other names, and for names of the formula's own. */
  tableNamed(node: SyntaxNode): string | undefined {
    const name = textOf(this.parsed, node)
    const isGlobal = this.scopes.has(node.from) && !this.scopes.get(node.from)?.find(name)
    return isGlobal && this.context.schema.hasTable(name) ? name : undefined
  }

  /** True for a function of the library, which no name of the formula replaces. */
  isFunction(node: SyntaxNode, names: ReadonlySet<string>): boolean {
    const name = textOf(this.parsed, node)
    return (
      node.name === 'VariableName' && names.has(name) && !this.scopes.get(node.from)?.find(name)
    )
  }

  /** The type of what the column of a `$A` belongs to. */
  typeOfRow(node: SyntaxNode): ValueType | undefined {
    return this.typeOfName('rec', this.scopes.get(node.from))
  }

  private infer(node: SyntaxNode): ValueType | undefined {
    const children = childrenOf(node)
    const [first] = children
    switch (node.name) {
      case 'VariableName':
        return this.typeOfVariable(node)
      case 'ParenthesizedExpression':
      case 'NamedExpression':
        return this.common([children[node.name === 'NamedExpression' ? 2 : 1]])
      case 'MemberExpression':
        return first && this.typeOfMember(first, children)
      case 'CallExpression':
        return first && this.typeOfCall(node, first)
      case 'ConditionalExpression':
        return this.common([first, children[4]])
      case 'BinaryExpression':
        return this.typeOfOperation(children)
      default:
        return undefined
    }
  }

  private typeOfOperation([left, sign, right]: readonly SyntaxNode[]): ValueType | undefined {
    return sign?.name === 'or' || sign?.name === 'and' ? this.common([left, right]) : undefined
  }

  private typeOfVariable(node: SyntaxNode): ValueType | undefined {
    const text = textOf(this.parsed, node)
    const scope = this.scopes.get(node.from)
    if (!text.startsWith('$')) return this.typeOfName(text, scope)
    const row = this.typeOfRow(node)
    return row && attributeType(row, text.slice(1), this.context.schema)
  }

  private typeOfMember(
    owner: SyntaxNode,
    [, sign, member]: readonly SyntaxNode[],
  ): ValueType | undefined {
    const type = this.typeOf(owner)
    if (!type) return undefined
    if (sign?.name === '[') return itemType(type)
    return member && attributeType(type, textOf(this.parsed, member), this.context.schema)
  }

  private typeOfCall(call: SyntaxNode, callee: SyntaxNode): ValueType | undefined {
    if (this.isFunction(callee, OF_FIRST)) {
      const [first] = argumentsOf(call)
      const type = first && !first.name ? this.typeOf(first.value) : undefined
      return type?.kind === 'table' ? { ...type, kind: 'record' } : type
    }
    const owner = callee.name === 'MemberExpression' ? callee.firstChild : null
    const method = callee.lastChild
    if (!owner || method?.name !== 'PropertyName') return undefined
    const type = this.typeOf(owner)
    return type && methodType(type, textOf(this.parsed, method))
  }

  private typeOfName(name: string, scope: Scope | undefined): ValueType | undefined {
    const bindings = scope?.find(name)
    if (scope && bindings) return this.typeOfBindings(name, scope, bindings)
    const { tableId, schema } = this.context
    if (name === 'rec') return { kind: 'record', tableId }
    if (name === 'table') return { kind: 'table', tableId }
    return schema.hasTable(name) ? { kind: 'table', tableId: name } : undefined
  }

  /**
   * The type that all bindings of a name have. A binding that leads back to the name itself, as in `r = r.Parent`, must
   * keep the type that the others give it.
   */
  private typeOfBindings(
    name: string,
    scope: Scope,
    bindings: readonly Binding[],
  ): ValueType | undefined {
    const names = this.known.get(scope) ?? new Map<string, ValueType | undefined>()
    this.known.set(scope, names)
    if (names.has(name)) return names.get(name)
    names.set(name, undefined)
    const begin = this.found.push(() => names.delete(name))
    const type = this.firstType(bindings)
    names.set(name, type)
    const isKept = bindings.every(
      (binding) => this.isNone(binding) || same(this.typeOfBinding(binding), type),
    )
    if (isKept) return type
    // Names whose types follow from this one are unknown again.
    for (const forget of this.found.splice(begin)) forget()
    names.set(name, undefined)
    return undefined
  }

  private firstType(bindings: readonly Binding[]): ValueType | undefined {
    for (const binding of bindings) {
      const type = this.typeOfBinding(binding)
      if (type) return type
    }
    return undefined
  }

  private typeOfBinding(binding: Binding): ValueType | undefined {
    if (binding.kind === 'other') return undefined
    if (binding.kind === 'value') return this.typeOf(binding.of)
    return this.isOfLoop(binding.of) ? undefined : itemType(this.typeOf(binding.of))
  }

  /** True for an attribute of a loop's variable: nested loops are not followed. */
  private isOfLoop(node: SyntaxNode): boolean {
    let owner = node
    while (owner.name === 'MemberExpression' && owner.firstChild) owner = owner.firstChild
    if (owner === node || owner.name !== 'VariableName') return false
    const bindings = this.scopes.get(owner.from)?.find(textOf(this.parsed, owner)) ?? []
    return bindings.some(({ kind }) => kind === 'item')
  }

  /** True for `None`, which has no attributes. */
  private isNone(binding: Binding): boolean {
    return binding.kind === 'value' && textOf(this.parsed, binding.of) === 'None'
  }

  private common(nodes: readonly (SyntaxNode | undefined)[]): ValueType | undefined {
    const [first, ...others] = nodes.map((node) => node && this.typeOf(node))
    return others.every((type) => same(type, first)) ? first : undefined
  }
}

function same(a: ValueType | undefined, b: ValueType | undefined): boolean {
  return a?.kind === b?.kind && a?.tableId === b?.tableId
}
