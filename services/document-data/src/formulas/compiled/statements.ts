import { childrenOf, type SyntaxNode } from '@sheaf/formula-text/formula-tree'
import type { PartCompiler, Records } from './formula-parts'
import { isFunction } from './library/functions'
import { caughtErrors } from './caught-errors'
import type { Run } from './frame'
import { assign, attempt, forEach, Jump, repeat, runSteps, type Handler, type Step } from './steps'
import { Unsupported } from './unsupported'
import { arithmetic } from './values/operators'
import { isTrue, ListValue, needsPython, type Value } from './values/values'

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
  // Jumps are within loops.
  if (only && steps.length === 1) return (frame) => (only(frame) as Value | undefined) ?? null
  return (frame) => (runSteps(steps, frame) as Value | undefined) ?? null
}

type CompileStatement = (compiler: PartCompiler, children: readonly SyntaxNode[]) => Step

const statementKinds: Readonly<Record<string, CompileStatement>> = {
  ReturnStatement: compileReturn,
  AssignStatement: compileAssignment,
  IfStatement: compileIfStatement,
  UpdateStatement: compileUpdate,
  ForStatement: compileLoop,
  WhileStatement: compileWhile,
  BreakStatement: compileJump,
  ContinueStatement: compileJump,
  TryStatement: compileTry,
  PassStatement: () => () => undefined,
}

function compileStatement(compiler: PartCompiler, node: SyntaxNode, isLast: boolean): Step {
  const children = childrenOf(node)
  if (node.name === 'ExpressionStatement') {
    if (children.length !== 1) throw new Unsupported('a tuple')
    const run = compiler.run(children[0])
    return isLast ? run : (frame) => void run(frame)
  }
  const compile = statementKinds[node.name]
  if (!compile) throw new Unsupported(STATEMENTS[node.name] ?? 'a statement')
  return compile(compiler, children)
}

function compileReturn(compiler: PartCompiler, [, value, ...more]: readonly SyntaxNode[]): Step {
  if (more.length > 0) throw new Unsupported('a tuple')
  return value ? compiler.run(value) : () => null
}

const STATEMENTS: Readonly<Record<string, string>> = {
  FunctionDefinition: 'a function of its own',
  ImportStatement: 'an import',
}

function compileAssignment(compiler: PartCompiler, children: readonly SyntaxNode[]): Step {
  const [target, sign, value] = children
  if (target?.name !== 'VariableName' || sign?.name !== 'AssignOp' || children.length !== 3)
    throw new Unsupported('an assignment')
  const { names } = compiler.parts
  const name = ownName(compiler, target)
  const { run, records } = compiler.compile(value as SyntaxNode)
  const place = placeOf(compiler, name, records)
  names.set(name, { place, records })
  return assign(place, run)
}

/** The name of a variable. Python refuses assigning to `$A`; other names for what formulas use are left to it. */
function ownName(compiler: PartCompiler, target: SyntaxNode): string {
  const name = compiler.text(target)
  if (!/^[a-z_]\w*$/.test(name) || name === 'rec' || name === 'table' || isFunction(name))
    throw new Unsupported('an assignment')
  return name
}

/** `x += value` and its like. */
function compileUpdate(compiler: PartCompiler, children: readonly SyntaxNode[]): Step {
  const [target, sign, value] = children
  const known = target && compiler.parts.names.get(compiler.text(target))
  const operator = sign ? compiler.text(sign).slice(0, -1) : ''
  const operate = Object.hasOwn(arithmetic, operator) ? arithmetic[operator] : undefined
  if (!known || known.records || !operate || children.length !== 3)
    throw new Unsupported('an assignment')
  const [before, added] = [compiler.run(target), compiler.run(value)]
  return (frame) => {
    const old = before(frame)
    // A list is changed in place, also where another name has it.
    if (old instanceof ListValue) return needsPython()
    frame.names[known.place] = operate(old, added(frame))
    return undefined
  }
}

/** `for x in …` over records, or over the items of a list. */
function compileLoop(compiler: PartCompiler, children: readonly SyntaxNode[]): Step {
  const [, variable, , source, body] = children
  if (variable?.name !== 'VariableName' || !source || children.length !== 5)
    throw new Unsupported('a loop')
  const { run, records } = compiler.compile(source)
  if (records && !records.isList) throw new Unsupported('a loop')
  const name = ownName(compiler, variable)
  const each = records && { ...records, isList: false }
  const place = placeOf(compiler, name, each)
  compiler.parts.names.set(name, { place, records: each })
  return forEach(place, run, compileRounds(compiler, body))
}

function compileWhile(compiler: PartCompiler, children: readonly SyntaxNode[]): Step {
  const [, test, body] = children
  if (children.length !== 3) throw new Unsupported('a loop')
  return repeat(compiler.run(test), compileRounds(compiler, body))
}

function compileRounds(compiler: PartCompiler, body: SyntaxNode | undefined): readonly Step[] {
  const { parts } = compiler
  parts.loops++
  const steps = compileBody(compiler, body)
  parts.loops--
  return steps
}

function compileJump(compiler: PartCompiler, [keyword]: readonly SyntaxNode[]): Step {
  if (compiler.parts.loops === 0) throw new Unsupported('syntax')
  const jump = keyword?.name === 'break' ? Jump.break : Jump.continue
  return () => jump
}

/** `try` with one `except` for each kind of error. */
function compileTry(compiler: PartCompiler, children: readonly SyntaxNode[]): Step {
  const [, body, ...rest] = children
  const steps = compileBody(compiler, body)
  const handlers: Handler[] = []
  for (let at = 0; at < rest.length;) {
    const [keyword, kind] = rest.slice(at)
    const isForAll = kind?.name === 'Body'
    const isLast = at + 2 === rest.length
    if (keyword?.name !== 'except' || (isForAll && !isLast)) throw new Unsupported('the end of try')
    const catches = isForAll ? () => true : caughtErrors(compiler, kind)
    const place = at + (isForAll ? 1 : 2)
    handlers.push({ catches, steps: compileBody(compiler, rest[place]) })
    at = place + 1
  }
  if (handlers.length === 0) throw new Unsupported('the end of try')
  return attempt(steps, handlers)
}

function compileBody(compiler: PartCompiler, body: SyntaxNode | undefined): readonly Step[] {
  if (body?.name !== 'Body') throw new Unsupported('syntax')
  const [, ...statements] = childrenOf(body)
  requireIndentation(compiler, statements)
  return statements.map((node) => compileStatement(compiler, node, false))
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
    branches.push({ test, steps: compileBody(compiler, children[at + (isElse ? 1 : 2)]) })
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
