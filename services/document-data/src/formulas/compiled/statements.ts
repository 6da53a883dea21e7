import { childrenOf, type SyntaxNode } from '@sheaf/formula-text/formula-tree'
import type { PartCompiler, Records } from './formula-parts'
import { isFunction } from './library/functions'
import type { Frame, Run } from './frame'
import { Unsupported } from './unsupported'
import { isTrue, type Value } from './values/values'

/** Runs a statement. Returns the value of a `return`, or undefined when the next statement follows. */
type Step = (frame: Frame) => Value | undefined

/** Compiles the statements of a formula: assignments, `if`, `return`, and the expression that is its value. */
export function compileStatements(compiler: PartCompiler, script: SyntaxNode): Run {
  const statements = childrenOf(script)
  const last = statements.at(-1)
  if (!last) throw new Unsupported('an empty formula')
  requireIndentation(compiler, statements)
  const steps = statements.map((node) => compileStatement(compiler, node, node === last))
  const isComplete = last.name === 'ExpressionStatement' || hasReturn(script)
  // A formula without a value is a SyntaxError, which is Python's.
  if (!isComplete) throw new Unsupported('its missing value')
  const [only] = steps
  if (only && steps.length === 1) return (frame) => only(frame) ?? null
  return (frame) => runSteps(steps, frame) ?? null
}

function runSteps(steps: readonly Step[], frame: Frame): Value | undefined {
  for (const step of steps) {
    const value = step(frame)
    if (value !== undefined) return value
  }
  return undefined
}

function compileStatement(compiler: PartCompiler, node: SyntaxNode, isLast: boolean): Step {
  const children = childrenOf(node)
  switch (node.name) {
    case 'ExpressionStatement': {
      if (children.length !== 1) throw new Unsupported('a tuple')
      const run = compiler.run(children[0])
      return isLast ? run : (frame) => void run(frame)
    }
    case 'ReturnStatement':
      if (children.length > 2) throw new Unsupported('a tuple')
      return children[1] ? compiler.run(children[1]) : () => null
    case 'AssignStatement':
      return compileAssignment(compiler, children)
    case 'IfStatement':
      return compileIfStatement(compiler, children)
    case 'PassStatement':
      return () => undefined
    default:
      throw new Unsupported(STATEMENTS[node.name] ?? 'a statement')
  }
}

const STATEMENTS: Readonly<Record<string, string>> = {
  ForStatement: 'a loop',
  WhileStatement: 'a loop',
  FunctionDefinition: 'a function of its own',
  ImportStatement: 'an import',
  TryStatement: 'try',
}

function compileAssignment(compiler: PartCompiler, children: readonly SyntaxNode[]): Step {
  const [target, sign, value] = children
  if (target?.name !== 'VariableName' || sign?.name !== 'AssignOp' || children.length !== 3)
    throw new Unsupported('an assignment')
  const name = compiler.text(target)
  const { names } = compiler.parts
  // Python refuses assigning to `$A`; other names for what formulas use are left to it.
  if (!/^[a-z_]\w*$/.test(name) || name === 'rec' || name === 'table' || isFunction(name))
    throw new Unsupported('an assignment')
  const { run, records } = compiler.compile(value as SyntaxNode)
  const place = placeOf(compiler, name, records)
  names.set(name, { place, records })
  return (frame) => {
    frame.names[place] = run(frame)
    return undefined
  }
}

function placeOf(compiler: PartCompiler, name: string, records: Records | undefined): number {
  const known = compiler.parts.names.get(name)
  if (!known) return compiler.parts.addPlace()
  if (known.records ?? records) throw new Unsupported('a name for several records')
  return known.place
}

/** Statements of one block begin in one column: the grammar takes others too, which Python refuses. */
function requireIndentation(compiler: PartCompiler, statements: readonly SyntaxNode[]): void {
  const columns = new Set(statements.map((node) => compiler.columnOf(node)))
  if (columns.size > 1) throw new Unsupported('its indentation')
}

function compileIfStatement(compiler: PartCompiler, children: readonly SyntaxNode[]): Step {
  const branches: { test: Run; steps: readonly Step[] }[] = []
  for (let at = 0; at < children.length;) {
    const isElse = children[at]?.name === 'else'
    const test = isElse ? () => true : compiler.run(children[at + 1])
    const body = children[at + (isElse ? 1 : 2)]
    if (body?.name !== 'Body') throw new Unsupported('syntax')
    const [, ...statements] = childrenOf(body)
    requireIndentation(compiler, statements)
    const steps = statements.map((node) => compileStatement(compiler, node, false))
    branches.push({ test, steps })
    at += isElse ? 2 : 3
  }
  return (frame) => {
    const branch = branches.find(({ test }) => isTrue(test(frame)))
    return branch && runSteps(branch.steps, frame)
  }
}

function hasReturn(script: SyntaxNode): boolean {
  const cursor = script.cursor()
  do if (cursor.name === 'ReturnStatement') return true
  while (cursor.next())
  return false
}
