import { childrenOf, type SyntaxNode } from '@sheaf/formula-text/formula-tree'
import type { Column, Schema, Table } from '../../store/schema/schema'
import type { ColumnOfTable } from '../dependencies/formula-columns'
import { plainArguments } from './arguments'
import type { Part, PartCompiler } from './formula-parts'
import type { Frame, Run } from './frame'
import { stringLiteral } from './literals'
import { sortColumns, type SortKey } from './row-order'
import { decoderOf, encoderOf, type Encode } from './stored-values'
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
/** Columns of which a list or a text makes no order. */
const NOT_SORTED: ReadonlySet<string> = new Set(['ChoiceList', 'RefList', 'Attachments'])
/** Names of the order of a lookup; the first one that is given counts. */
const ORDERS = ['sort_by', 'order_by'] as const

/** A call of a lookup. */
export interface LookupCall {
  readonly isOne: boolean
  readonly nodes: readonly SyntaxNode[]
}

/** The table that a name stands for; undefined for other names. */
export function findTable(compiler: PartCompiler, node: SyntaxNode): Table | undefined {
  const { parts } = compiler
  const name = compiler.text(node)
  if (node.name !== 'VariableName' || parts.names.has(name)) return undefined
  if (name === 'table') return parts.table
  return parts.schema.tables.find(({ tableId }) => tableId === name)
}

/** All rows of a table. */
export function allRows({ parts }: PartCompiler, table: Table, order: readonly SortKey[]): Part {
  const lookup = { table, columns: [], contains: [], order }
  parts.readTable(table, sortColumns(order))
  return {
    run: (frame) => new RecordsValue(table, frame.source.find(lookup, [], frame.row)),
    records: { table, isList: true, isFound: true, route: { from: 'any', path: [] } },
    ...(order.length === 0 && { found: { lookup, keys: () => [] } }),
  }
}

/** Compiles `lookupRecords` and `lookupOne`. */
export function compileLookup(
  compiler: PartCompiler,
  owner: SyntaxNode,
  { isOne, nodes }: LookupCall,
): Part {
  const table = findTable(compiler, owner)
  if (!table) throw new Unsupported(`the name ${compiler.text(owner)}`)
  const given = keyArguments(compiler, nodes)
  const order = orderOf(compiler, table, given)
  const keys = given
    .filter(({ id }) => !ORDERS.some((name) => name === id))
    .map(({ id, value }) => compileKey(compiler, table, id, value))
  const part =
    keys.length === 0 ? allRows(compiler, table, order) : findRows(compiler, table, keys, order)
  if (!isOne) return part
  const first: Run = (frame) =>
    new RecordValue(table, (part.run(frame) as RecordsValue).rows[0] ?? 0)
  return { run: first, records: part.records && { ...part.records, isList: false } }
}

/** A key of a lookup. */
interface Key {
  readonly of: ColumnOfTable
  readonly isContained: boolean
  readonly encode: Encode
  readonly value: Run
}

function findRows(
  { parts }: PartCompiler,
  table: Table,
  keys: readonly Key[],
  order: readonly SortKey[],
): Part {
  const sorted = [...keys].sort((a, b) => (a.of.column.id < b.of.column.id ? -1 : 1))
  const columns = sorted.map(({ of }) => of)
  const contains = sorted.map(({ isContained }) => isContained)
  const lookup = { table, columns, contains, order }
  const route = { from: parts.addLookup(lookup), path: [] }
  for (const of of sortColumns(order)) parts.read(of, route)
  // Values are computed as they are written: the first error counts.
  const places = keys.map((key) => sorted.indexOf(key))
  const keysOf = (frame: Frame) => {
    const values = keys.map(({ encode, value }) => encode(value(frame)))
    return sorted.map((_, place) => values[places.indexOf(place)] ?? null)
  }
  const isSummable = order.length === 0 && !contains.includes(true)
  return {
    run: (frame) => new RecordsValue(table, frame.source.find(lookup, keysOf(frame), frame.row)),
    records: { table, isList: true, isFound: true, route },
    ...(isSummable && { found: { lookup, keys: keysOf } }),
  }
}

function compileKey(compiler: PartCompiler, table: Table, id: string, node: SyntaxNode): Key {
  const column = table.byId.get(id)
  const item = containedItem(compiler, node)
  const encode =
    column && (item ? itemEncoders[column.type.name] : keyEncoder(column, compiler.parts.schema))
  if (!encode || id === 'id') throw new Unsupported(`a lookup by ${id}`)
  const value = compiler.run(item ?? node)
  return { of: { table, column }, isContained: item !== undefined, encode, value }
}

/** Values that Python compares by their own rules are left to it. */
function keyEncoder(column: Column, schema: Schema): Encode | undefined {
  const encode = KEY_TYPES.has(column.type.name) ? encoderOf(column, schema) : undefined
  return encode && ((value) => (value instanceof RecordsValue ? needsPython() : encode(value)))
}

/** How values are compared with the items of lists. */
const itemEncoders: Readonly<Record<string, Encode>> = {
  ChoiceList: (value) => {
    if (value === null) return ''
    return typeof value === 'string' ? value : needsPython()
  },
  RefList: (value) => {
    if (value instanceof RecordValue) return value.row
    return typeof value === 'bigint' ? Number(value) : needsPython()
  },
}

/** The value of `CONTAINS(value)`. */
function containedItem(compiler: PartCompiler, node: SyntaxNode): SyntaxNode | undefined {
  const [callee, list] = node.name === 'CallExpression' ? childrenOf(node) : []
  if (!callee || !list || compiler.text(callee) !== 'CONTAINS') return undefined
  const [value, ...more] = plainArguments(childrenOf(list))
  if (!value || more.length > 0 || findTable(compiler, callee))
    throw new Unsupported('the arguments of CONTAINS')
  return value
}

interface Argument {
  readonly id: string
  readonly value: SyntaxNode
}

/** Names and values of the arguments of a lookup. */
function keyArguments(compiler: PartCompiler, nodes: readonly SyntaxNode[]): Argument[] {
  const groups: SyntaxNode[][] = [[]]
  for (const node of nodes.slice(1, -1))
    if (node.name === ',') groups.push([])
    else groups.at(-1)?.push(node)
  // A comma may follow the last one.
  if (groups.at(-1)?.length === 0) groups.pop()
  const found = groups.map(([key, sign, value, ...more]): Argument => {
    if (key?.name !== 'VariableName' || sign?.name !== 'AssignOp' || !value || more.length > 0)
      throw new Unsupported('the arguments of a lookup')
    return { id: compiler.text(key), value }
  })
  const isUnique = new Set(found.map(({ id }) => id)).size === found.length
  return isUnique ? found : unsupportedOrder()
}

/** The order of a lookup: texts, or `None` for the order of the row ids. */
function orderOf(compiler: PartCompiler, table: Table, given: readonly Argument[]): SortKey[] {
  for (const name of ORDERS) {
    const node = given.find(({ id }) => id === name)?.value
    if (node && node.name !== 'None')
      return orderNames(compiler, node).map((text) => sortKey(compiler, table, text))
  }
  return []
}

function orderNames(compiler: PartCompiler, node: SyntaxNode): string[] {
  if (node.name === 'String') return [stringLiteral(compiler.text(node))]
  if (node.name !== 'TupleExpression') return unsupportedOrder()
  const items = childrenOf(node).slice(1, -1)
  const names = items.filter((_, place) => place % 2 === 0)
  const isList = items.every(({ name }, place) => name === (place % 2 === 0 ? 'String' : ','))
  if (!isList || names.length === 0) return unsupportedOrder()
  return names.map((item) => stringLiteral(compiler.text(item)))
}

function sortKey({ parts }: PartCompiler, table: Table, text: string): SortKey {
  const isDescending = text.startsWith('-')
  const id = text.slice(isDescending ? 1 : 0)
  if (id === 'id') return { isDescending }
  const column = table.byId.get(id)
  const isSorted = column && id !== 'manualSort' && !NOT_SORTED.has(column.type.name)
  const decode = isSorted ? decoderOf(column, parts.schema) : undefined
  if (!column || !decode) return unsupportedOrder()
  return { by: { of: { table, column }, decode }, isDescending }
}

function unsupportedOrder(): never {
  throw new Unsupported('the order of a lookup')
}
