import { childrenOf, type SyntaxNode } from '@sheaf/formula-text/formula-tree'
import type { ColumnOfTable } from '../dependencies/formula-columns'
import { functionArguments, plainArguments } from './arguments'
import type { Part, PartCompiler } from './formula-parts'
import type { Frame, Run } from './frame'
import { functions, takesArguments, takesGenerator } from './library/functions'
import { findMethod, methodTakes } from './library/methods'
import { lazyFunctions, withoutErrors } from './lazy-functions'
import { requireNoNumber } from './literals'
import { encoderOf, type Encode } from './stored-values'
import { totalRun } from './totals'
import { Unsupported } from './unsupported'
import { needsPython, RecordsValue, RecordValue } from './values/values'

/** Columns that lookups compare as SQLite stores them. */
const KEY_TYPES: ReadonlySet<string> = new Set([
  'Text',
  'Choice',
  'Numeric',
  'Int',
  'Bool',
  'Ref',
  'Any',
])
/** Arguments of lookups that are no columns. */
const NO_KEYS: ReadonlySet<string> = new Set(['id', 'order_by', 'sort_by'])

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

interface LookupCall {
  readonly isOne: boolean
  readonly nodes: readonly SyntaxNode[]
}

function compileLookup(
  compiler: PartCompiler,
  owner: SyntaxNode,
  { isOne, nodes }: LookupCall,
): Part {
  const { parts } = compiler
  const name = compiler.text(owner)
  const isOwn = name === 'table'
  const table = isOwn ? parts.table : parts.schema.tables.find(({ tableId }) => tableId === name)
  if (owner.name !== 'VariableName' || parts.names.has(name) || !table)
    throw new Unsupported(`the name ${name}`)
  const keys = keyArguments(nodes)
    .map(([key, value]) => ({ id: compiler.text(key), value: compiler.run(value) }))
    .sort((a, b) => (a.id < b.id ? -1 : 1))
  const isUnique = new Set(keys.map(({ id }) => id)).size === keys.length
  const found = keys.map(({ id, value }) => {
    if (!isUnique || NO_KEYS.has(id)) throw new Unsupported(`a lookup with ${id}`)
    const column = table.byId.get(id)
    const encode = column && KEY_TYPES.has(column.type.name) ? encoderOf(column) : undefined
    if (!encode) throw new Unsupported(`a lookup by ${id}`)
    return { of: { table, column } as ColumnOfTable, encode: keyOf(encode), value }
  })
  const lookup = { columns: found.map(({ of }) => of) }
  const route = { from: parts.addLookup(table, lookup), path: [] }
  const keysOf = (frame: Frame) => found.map(({ encode, value }) => encode(value(frame)))
  const rows = (frame: Frame) => frame.source.find(lookup, keysOf(frame), frame.row)
  return isOne
    ? {
        run: (frame) => new RecordValue(table, rows(frame)[0] ?? 0),
        records: { table, isList: false, route },
      }
    : {
        run: (frame) => new RecordsValue(table, rows(frame)),
        records: { table, isList: true, route },
        ...(found.length > 0 && { found: { lookup, keys: keysOf } }),
      }
}

/** Values that Python compares by their own rules are left to it. */
function keyOf(encode: Encode): Encode {
  return (value) => (value instanceof RecordsValue ? needsPython() : encode(value))
}

/** Names and values of the arguments of a lookup. */
function keyArguments(nodes: readonly SyntaxNode[]): [SyntaxNode, SyntaxNode][] {
  const groups: SyntaxNode[][] = [[]]
  for (const node of nodes.slice(1, -1))
    if (node.name === ',') groups.push([])
    else groups.at(-1)?.push(node)
  const keys = groups.map(([key, sign, value, ...more]): [SyntaxNode, SyntaxNode] => {
    if (key?.name !== 'VariableName' || sign?.name !== 'AssignOp' || !value || more.length > 0)
      throw new Unsupported('the arguments of a lookup')
    return [key, value]
  })
  return keys
}
