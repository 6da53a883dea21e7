import type { SyntaxNode } from '@lezer/common'
import { childrenOf, textOf, type FormulaTree } from './formula-tree'

/** What a name is bound to: the value of an expression, an item of one, or something that is not followed. */
export type Binding =
  { readonly kind: 'value' | 'item'; readonly of: SyntaxNode } | { readonly kind: 'other' }

const other: Binding = { kind: 'other' }

/** The names of one function, lambda, class or comprehension; the outermost scope is that of the formula. */
export class Scope {
  private readonly names = new Map<string, Binding[]>()

  constructor(
    private readonly parent?: Scope,
    private readonly isLoop = false,
  ) {}

  /** Adds a binding of a name. */
  bind(name: string, binding: Binding): void {
    const bindings = this.names.get(name)
    if (bindings) bindings.push(binding)
    else this.names.set(name, [binding])
  }

  /** The scope in which `name := value` binds: comprehensions have no names but those of their loops. */
  get ofFunction(): Scope {
    return this.isLoop && this.parent ? this.parent.ofFunction : this
  }

  /** The bindings of a name in the innermost scope that has it; undefined for a name from outside the formula. */
  find(name: string): readonly Binding[] | undefined {
    return this.names.get(name) ?? this.parent?.find(name)
  }
}

/** The scope of each VariableName that stands for a value, by its offset. Names of arguments do not. */
export type NameScopes = ReadonlyMap<number, Scope>

/** Finds the scopes of a formula and what its names are bound to. */
export function findScopes(parsed: FormulaTree): NameScopes {
  return new ScopeFinder(parsed).find()
}

/** Syntax that binds the name after `as`. */
const BINDING_AS: ReadonlySet<string> = new Set(['WithStatement', 'TryStatement', 'AsPattern'])
/** Syntax whose names are all bound, or declared, by it. */
const BINDING: ReadonlySet<string> = new Set([
  ...['CapturePattern', 'ImportStatement', 'ScopeStatement', 'DeleteStatement'],
  ...['TypeDefinition', 'TypeParam'],
])

class ScopeFinder {
  private readonly scopes = new Map<number, Scope>()
  /** Nodes to visit: syntax can be nested deeper than calls. */
  private readonly todo: { readonly node: SyntaxNode; readonly scope: Scope }[] = []

  constructor(private readonly parsed: FormulaTree) {}

  find(): NameScopes {
    this.visit([this.parsed.tree.topNode], new Scope())
    for (let next = this.todo.pop(); next; next = this.todo.pop()) this.enter(next.node, next.scope)
    return this.scopes
  }

  private visit(nodes: readonly SyntaxNode[], scope: Scope): void {
    for (const node of nodes) this.todo.push({ node, scope })
  }

  private enter(node: SyntaxNode, scope: Scope): void {
    const children = childrenOf(node)
    switch (node.name) {
      case 'VariableName':
        this.scopes.set(node.from, scope)
        return
      case 'FunctionDefinition':
      case 'LambdaExpression':
        return this.enterFunction(children, scope)
      case 'ClassDefinition':
        return this.enterClass(children, scope)
      case 'ArgList':
      case 'PatternArgList':
      case 'KeywordPattern':
        return this.enterArguments(children, scope)
      default:
        this.bindNames(node, children, scope)
        if (isComprehension(node, children)) this.enterComprehension(children, scope)
        else this.visit(children, scope)
    }
  }

  private enterFunction(children: readonly SyntaxNode[], scope: Scope): void {
    const inner = new Scope(scope)
    for (const child of children)
      if (child.name === 'VariableName' && child.prevSibling?.name === 'def')
        this.bindTargets([child], scope)
      else if (child.name === 'ParamList') this.enterParameters(childrenOf(child), scope, inner)
      else if (child.name === 'TypeDef' || child.name === 'TypeParamList')
        this.visit([child], scope)
      else this.visit([child], inner)
  }

  /** Defaults and annotations belong to the scope around the function. */
  private enterParameters(children: readonly SyntaxNode[], scope: Scope, inner: Scope): void {
    children.forEach((child, index) => {
      const isName = child.name === 'VariableName' && children[index - 1]?.name !== 'AssignOp'
      if (isName) this.bindTargets([child], inner)
      else this.visit([child], scope)
    })
  }

  private enterClass(children: readonly SyntaxNode[], scope: Scope): void {
    this.bindTargets(
      children.filter(({ name }) => name === 'VariableName'),
      scope,
    )
    const isBody = ({ name }: SyntaxNode) => name === 'Body'
    this.visit(children.filter(isBody), new Scope(scope))
    this.visit(
      children.filter((child) => !isBody(child)),
      scope,
    )
  }

  private enterArguments(children: readonly SyntaxNode[], scope: Scope): void {
    if (children.some(({ name }) => name === 'for')) this.enterComprehension(children, scope)
    else
      this.visit(
        children.filter(
          ({ name }, i) =>
            name !== 'VariableName' ||
            (children[i + 1]?.name !== 'AssignOp' && children[i + 1]?.name !== 'LiteralPattern'),
        ),
        scope,
      )
  }

  /** The first collection is evaluated in the scope around the comprehension. */
  private enterComprehension(children: readonly SyntaxNode[], scope: Scope): void {
    const inner = new Scope(scope, true)
    const firstIn = children.findIndex(({ name }) => name === 'in')
    children.forEach((child, index) => {
      if (child.name === 'for') this.bindLoop(children.slice(index), inner)
      this.visit([child], index === firstIn + 1 ? scope : inner)
    })
  }

  private bindNames(node: SyntaxNode, children: readonly SyntaxNode[], scope: Scope): void {
    const [first, , third] = children
    if (node.name === 'AssignStatement') this.bindAssignment(children, scope)
    else if (node.name === 'ForStatement') this.bindLoop(children, scope)
    else if (node.name === 'NamedExpression' && first && third)
      this.bindTargets([first], scope.ofFunction, { kind: 'value', of: third })
    else if (node.name === 'UpdateStatement' && first) this.bindTargets([first], scope)
    else if (BINDING_AS.has(node.name)) {
      const isTarget = (_: SyntaxNode, index: number) => children[index - 1]?.name === 'as'
      this.bindTargets(children.filter(isTarget), scope)
    } else if (BINDING.has(node.name)) this.bindTargets(children, scope)
  }

  private bindAssignment(children: readonly SyntaxNode[], scope: Scope): void {
    const sides: SyntaxNode[][] = [[]]
    for (const child of children)
      if (child.name === 'AssignOp') sides.push([])
      else if (child.name !== 'TypeDef') sides.at(-1)?.push(child)
    const values = sides.length > 1 ? (sides.pop() ?? []) : []
    const [value] = values
    const binding: Binding = value && values.length === 1 ? { kind: 'value', of: value } : other
    for (const targets of sides) this.bindTargets(targets, scope, binding)
  }

  /** Binds the names of `for … in …`, with which `children` begin. */
  private bindLoop(children: readonly SyntaxNode[], scope: Scope): void {
    const [begin, end] = ['for', 'in'].map((word) =>
      children.findIndex(({ name }) => name === word),
    )
    const targets = children.slice((begin ?? 0) + 1, end)
    const of = children[(end ?? 0) + 1]
    const isOne = children[(end ?? 0) + 2]?.name !== ','
    this.bindTargets(targets, scope, of && isOne ? { kind: 'item', of } : other)
  }

  /** One name takes the binding; the names of a pattern take parts of it, which are not followed. */
  private bindTargets(targets: readonly SyntaxNode[], scope: Scope, binding = other): void {
    const [only] = targets
    if (targets.length === 1 && only?.name === 'VariableName')
      return scope.bind(textOf(this.parsed, only), binding)
    const todo = [...targets]
    for (let node = todo.pop(); node; node = todo.pop())
      if (node.name === 'VariableName') scope.bind(textOf(this.parsed, node), other)
      else if (/^(Tuple|Array|Parenthesized)Expression$/.test(node.name))
        todo.push(...childrenOf(node))
  }
}

function isComprehension({ name }: SyntaxNode, children: readonly SyntaxNode[]): boolean {
  return name !== 'ForStatement' && children.some((child) => child.name === 'for')
}
