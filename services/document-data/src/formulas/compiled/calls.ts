import { childrenOf, type SyntaxNode } from '@sheaf/formula-text/formula-tree'
import { functionArguments, plainArguments } from './arguments'
import type { Part, PartCompiler } from './formula-parts'
import type { Run } from './frame'
import { functions, takesArguments, takesGenerator } from './library/functions'
import { findMethod, methodTakes } from './library/methods'
import { lazyFunctions, withoutErrors } from './lazy-functions'
import { requireNoNumber } from './literals'
import { compileLookup } from './lookups'
import { totalRun } from './totals'
import { Unsupported } from './unsupported'

/** Compiles a call of a function of the library, of a method of text, or of a lookup. Throws Unsupported. */
export function compileCall(compiler: PartCompiler, [callee, list]: readonly SyntaxNode[]): Part {
  if (!callee || list?.name !== 'ArgList') throw new Unsupported('syntax')
  const nodes = childrenOf(list)
  if (callee.name === 'MemberExpression') return compileMethod(compiler, callee, nodes)
  const name = compiler.text(callee)
  requireLibraryName(compiler, callee)
  if (isGenerator(nodes)) {
    if (!takesGenerator.has(name)) throw new Unsupported(`a loop in ${name}`)
    const run = called(name, [compiler.comprehension(nodes)])
    return { run: name === 'any' || name === 'all' ? withoutErrors(run) : run }
  }
  const lazy = Object.hasOwn(lazyFunctions, name) ? lazyFunctions[name] : undefined
  if (lazy) return { run: lazy(plainArguments(nodes).map((arg) => compiler.run(arg))) }
  return { run: compileFunction(compiler, name, nodes) }
}

function compileFunction(compiler: PartCompiler, name: string, nodes: readonly SyntaxNode[]): Run {
  const [, only, ...more] = nodes
  if (!only || more.length !== 1) return called(name, functionArguments(compiler, name, nodes))
  if (!takesArguments(name, 1)) throw new Unsupported(`the arguments of ${name}`)
  const { run, found } = compiler.compile(only)
  const call = called(name, [run])
  const total = found && totalRun(name, found, call)
  if (!total) return call
  compiler.parts.markTotal(found.lookup)
  return total
}

function requireLibraryName(compiler: PartCompiler, callee: SyntaxNode): void {
  const { names, schema } = compiler.parts
  const name = compiler.text(callee)
  const isOwn = names.has(name) || schema.tables.some(({ tableId }) => tableId === name)
  if (callee.name !== 'VariableName' || isOwn) throw new Unsupported('a function of its own')
}

/** True for the arguments of a call that are a loop. */
function isGenerator(nodes: readonly SyntaxNode[]): boolean {
  return nodes.some((node) => node.name === 'for')
}

function called(name: string, args: readonly Run[]): Run {
  const call = Object.hasOwn(functions, name) ? functions[name] : undefined
  if (!call) throw new Unsupported(`the function ${name}`)
  const [only] = args
  if (args.length === 1 && only) return (frame) => call([only(frame)])
  return (frame) => call(args.map((arg) => arg(frame)))
}

function compileMethod(
  compiler: PartCompiler,
  callee: SyntaxNode,
  nodes: readonly SyntaxNode[],
): Part {
  const [owner, sign, property] = childrenOf(callee)
  if (!owner || sign?.name !== '.' || !property) throw new Unsupported('syntax')
  requireNoNumber(owner)
  const name = compiler.text(property)
  if (name === 'lookupRecords' || name === 'lookupOne')
    return compileLookup(compiler, owner, { isOne: name === 'lookupOne', nodes })
  const { run, records } = compiler.compile(owner)
  const method = findMethod(name)
  if (records || !method) throw new Unsupported(`the method ${name}`)
  const isLoop = name === 'join' && isGenerator(nodes)
  const args = [
    run,
    ...(isLoop
      ? [compiler.comprehension(nodes)]
      : plainArguments(nodes).map((arg) => compiler.run(arg))),
  ]
  if (!methodTakes(name, args.length)) throw new Unsupported(`the arguments of ${name}`)
  return { run: (frame) => method(args.map((arg) => arg(frame))) }
}
