import type { SyntaxNode } from '@sheaf/formula-text/formula-tree'
import type { LogValue } from '../../store/log/log'
import type { Column, Schema, Table } from '../../store/schema/schema'
import type { ColumnOfTable } from '../dependencies/formula-columns'
import type { LookupMessage, ReadMessage } from '../exchange/messages'
import type { CompiledLookup, Frame, Run, TotalOf } from './frame'
import { decoderOf, numberDecoder, type Decode } from './stored-values'
import { Unsupported } from './unsupported'
import type { RecordsValue } from './values/values'
import { ListValue, RecordValue } from './values/values'

/** References that a formula follows at most. */
const MAX_PATH = 6

/** Where records come from: the own row, a lookup, or any row of a table; over references. */
interface Route {
  readonly from: 'row' | 'any' | LookupMessage
  readonly path: readonly number[]
}

/** What is known of an expression whose value is a record, or records. */
export interface Records {
  readonly table: Table
  readonly isList: boolean
  readonly route: Route
  /** True for the row of the formula itself. */
  readonly isOwn?: boolean
  /** True for what a lookup finds: a reference may name a row that does not exist. */
  readonly isFound?: boolean
}

/** A compiled part of a formula. */
export interface Part {
  readonly run: Run
  /** Present for a cell of whole numbers: its value, with whole numbers as floats. */
  readonly number?: Run
  /** Present when the value is a record, or records. */
  readonly records?: Records
  /** Present when the value is the rows that a lookup finds, or the cells of a column in them. */
  readonly found?: FoundRows
}

/** The rows of a lookup, or the cells of a column in them, as they are added up. */
export interface FoundRows extends TotalOf {
  readonly keys: (frame: Frame) => readonly LogValue[]
}

/** Compiles the parts of one formula. All methods throw Unsupported. */
export interface PartCompiler {
  readonly parts: FormulaParts
  /** Compiles an expression. */
  compile(node: SyntaxNode): Part
  /** Compiles an expression whose value may be of any kind. */
  run(node: SyntaxNode | undefined): Run
  /** Compiles a comprehension, given by the nodes between its brackets and with them. */
  comprehension(nodes: readonly SyntaxNode[]): Run
  /** The source of a node. */
  text(node: SyntaxNode): string
  /** Characters before a node in its line. */
  columnOf(node: SyntaxNode): number
}

/** A lookup of a formula, and the message that names it. */
export interface FormulaLookup {
  readonly lookup: CompiledLookup
  readonly message: LookupMessage
  /** True when its rows are only added up. */
  isTotal: boolean
}

/** What a formula reads, collected while it is compiled. */
export class FormulaParts {
  /** The columns of the own row that it reads. */
  readonly ownColumns: ColumnOfTable[] = []
  /** Its reads, as an evaluator reports them. */
  readonly reads: ReadMessage[] = []
  readonly lookups: FormulaLookup[] = []
  /** All columns that it reads. */
  readonly columns = new Map<number, ColumnOfTable>()
  /** The names that it assigns to, with the places of their values. */
  readonly names = new Map<string, { readonly place: number; readonly records?: Records }>()
  private places = 0

  constructor(
    readonly table: Table,
    readonly schema: Schema,
  ) {}

  /** The row of the formula. */
  get own(): Part {
    const { table } = this
    return {
      run: ({ row }) => new RecordValue(table, row),
      records: { table, isList: false, route: { from: 'row', path: [] }, isOwn: true },
    }
  }

  /** A new place for the value of a name. */
  addPlace(): number {
    return this.places++
  }

  /** Loops around what is compiled. */
  loops = 0

  /** How many places there are. */
  get placeCount(): number {
    return this.places
  }

  /** An attribute of records: a cell, or the cells of all of them. */
  attribute({ run, records, found }: Part & { readonly records: Records }, name: string): Part {
    const { table, isList, isOwn, isFound, route } = records
    if (name === 'id' && isOwn) return { run: ({ row }) => BigInt(row) }
    if (name === 'id' && isFound) return { run: isList ? idsOf(run) : idOf(run) }
    const column = table.byId.get(name)
    const decode = column && decoderOf(column, this.schema)
    if (!decode) throw new Unsupported(`the attribute ${name}`)
    const of = { table, column }
    this.read(of, route)
    const target = this.target(column, route, isList)
    if (isOwn) {
      const number =
        column.type.name === 'Int' ? this.ownCell(of, numberDecoder(decode)) : undefined
      return { run: this.ownCell(of, decode), records: target, number }
    }
    if (!isList) return { run: cellOf(of, run, decode), records: target }
    if (!found) return { run: cellsOf(of, run, decode), records: target }
    const cells = { ...found, value: of }
    return { run: foundCells(cells, decode), records: target, found: cells }
  }

  /** Adds a lookup by these columns. Returns the message that names it. */
  addLookup(lookup: CompiledLookup): LookupMessage {
    const { table, contains } = lookup
    const keys = lookup.columns.map(({ column }) => column.ref)
    const message = { table: table.tableId, keys, contains }
    this.lookups.push({ lookup, message, isTotal: false })
    this.reads.push({ from: message })
    for (const of of lookup.columns) this.columns.set(of.column.ref, of)
    return message
  }

  /** Notes that all rows of a table are found, in the order of these columns. */
  readTable(table: Table, columns: readonly ColumnOfTable[]): void {
    this.reads.push({ from: 'any', table: table.tableId })
    for (const of of columns) this.read(of, { from: 'any', path: [] })
  }

  /** Notes that the rows of a lookup are only added up. */
  markTotal(lookup: CompiledLookup): void {
    for (const known of this.lookups) if (known.lookup === lookup) known.isTotal = true
  }

  /** Notes that a column of records is read. */
  read(of: ColumnOfTable, { from, path }: Route): void {
    this.columns.set(of.column.ref, of)
    const isKnown = this.reads.some(
      (read) =>
        read.from === from && read.column === of.column.ref && String(read.path) === String(path),
    )
    if (!isKnown) this.reads.push({ from, path, column: of.column.ref })
  }

  private ownCell(of: ColumnOfTable, decode: Decode): Run {
    const known = this.ownColumns.findIndex(({ column }) => column === of.column)
    const place = known < 0 ? this.ownColumns.push(of) - 1 : known
    return ({ cells }) => decode(cells[place] ?? null)
  }

  private target(column: Column, { from, path }: Route, isList: boolean): Records | undefined {
    const { name, argument } = column.type
    if (name !== 'Ref' && name !== 'RefList') return undefined
    const table = this.schema.tables.find(({ tableId }) => tableId === argument)
    if (!table || isList || path.length >= MAX_PATH)
      throw new Unsupported('references of several records')
    // What comes from any row is read from any row.
    const next = from === 'any' ? path : [...path, column.ref]
    return { table, isList: name === 'RefList', route: { from, path: next } }
  }
}

function idOf(owner: Run): Run {
  return (frame) => BigInt((owner(frame) as RecordValue).row)
}

function idsOf(owner: Run): Run {
  return (frame) => {
    const { rows } = owner(frame) as RecordsValue
    frame.source.spend(rows.length)
    return new ListValue(rows.map(BigInt))
  }
}

function cellOf(of: ColumnOfTable, owner: Run, decode: Decode): Run {
  return (frame) => {
    frame.source.spend(1)
    return decode(frame.source.stored(of, (owner(frame) as RecordValue).row))
  }
}

function foundCells({ lookup, value, keys }: Required<FoundRows>, decode: Decode): Run {
  return (frame) => {
    const cells = frame.source.cells({ lookup, value }, keys(frame), frame.row)
    frame.source.spend(cells.length)
    return new ListValue(cells.map(decode))
  }
}

function cellsOf(of: ColumnOfTable, owner: Run, decode: Decode): Run {
  return (frame) => {
    const { rows } = owner(frame) as RecordsValue
    frame.source.spend(rows.length)
    return new ListValue(rows.map((row) => decode(frame.source.stored(of, row))))
  }
}
