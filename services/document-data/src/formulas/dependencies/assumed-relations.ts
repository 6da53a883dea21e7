import type { Column, Schema, Table } from '../../store/schema/schema'
import { columnsOf, type ColumnOfTable } from './formula-columns'
import type { Read, Relations } from './relations'

/** Reads that are assumed for all columns of a document together. */
const MAX_READS = 200_000

/** `$A.B`, `rec.A.B`. */
const CHAIN = /(?:\$|\brec\s*\.\s*)([A-Za-z_]\w*)((?:\s*\.\s*[A-Za-z_]\w*)*)/g
const WORD = /[A-Za-z_]\w*/g
/** What may read any column of the row or of its table. */
const OWN_TABLE = new Set(['rec', 'table', 'PREVIOUS', 'NEXT', 'RANK'])
/** What may read anything. */
const ANYTHING = new Set([
  ...[
    'RECORD',
    'getattr',
    'hasattr',
    'vars',
    'dir',
    'globals',
    'locals',
    'eval',
    'exec',
    'compile',
  ],
  ...['attrgetter', 'methodcaller', 'UserTable'],
])

/**
 * What formulas depend on by their text, for formulas whose results are known although they have never run here. A
 * formula of nothing but cells of its row, over references, has the relations that running it would show. Any other is
 * assumed to read every column and table that it names: such relations are `assumed`.
 */
export class RelationAssumptions {
  private readonly columnsById = new Map<string, ColumnOfTable[]>()
  private readonly tablesById: ReadonlyMap<string, Table>
  private reads = 0

  constructor(private readonly schema: Schema) {
    this.tablesById = new Map(schema.tables.map((table) => [table.tableId, table]))
    for (const of of columnsOf(schema).byRef.values()) {
      const named = this.columnsById.get(of.column.id)
      if (named) named.push(of)
      else this.columnsById.set(of.column.id, [of])
    }
  }

  /** The relations of a formula column; undefined when there are too many. */
  assume(of: ColumnOfTable): Relations | undefined {
    const reads = this.rowReads(of)
    const relations = reads ? { lookups: [], reads } : this.namedReads(of)
    this.reads += relations?.reads.length ?? 0
    return this.reads > MAX_READS ? undefined : relations
  }

  /** The reads of a formula of nothing but cells of its row; undefined for any other. */
  private rowReads({ table, column: { formula } }: ColumnOfTable): Read[] | undefined {
    const reads = new Map<string, Read>()
    let isClear = true
    const rest = formula.replace(CHAIN, (_, first: string, others: string) => {
      const found = this.followChain(table, [first, ...(others.match(WORD) ?? [])])
      if (!found) isClear = false
      for (const read of found ?? []) reads.set(JSON.stringify(read), read)
      return ' '
    })
    if (!isClear || (rest.match(WORD) ?? []).some((word) => this.mayRead(word))) return undefined
    return [...reads.values()]
  }

  private mayRead(word: string): boolean {
    if (OWN_TABLE.has(word) || ANYTHING.has(word) || word.includes('__')) return true
    return this.columnsById.has(word) || this.tablesById.has(word)
  }

  /** What `$A.B.C` reads; undefined when that depends on values. */
  private followChain(table: Table, names: readonly string[]): Read[] | undefined {
    const reads: Read[] = []
    const path: number[] = []
    let at: Table | undefined = table
    for (const [index, name] of names.entries()) {
      const column: Column | undefined = at?.byId.get(name)
      if (!at || !column) {
        // The attribute of a value that is no record, or of nothing at all.
        const isHarmless = index === 0 || name === 'id' || (!at && !this.mayRead(name))
        return isHarmless ? reads : undefined
      }
      reads.push({ from: 'row', path: [...path], columnRef: column.ref })
      const isAny = column.type.name === 'Any'
      if (isAny && names.slice(index + 1).some((next) => this.mayRead(next))) return undefined
      at = this.findTarget(column)
      path.push(column.ref)
    }
    return reads
  }

  /** The table whose rows a column refers to. */
  private findTarget({ type: { name, argument = '' } }: Column): Table | undefined {
    return name === 'Ref' || name === 'RefList' ? this.tablesById.get(argument) : undefined
  }

  /** Reads of all that a formula names; undefined when that is too much. */
  private namedReads({ table, column: { formula } }: ColumnOfTable): Relations | undefined {
    const words = new Set(formula.match(WORD) ?? [])
    const isAny = [...words].some((word) => ANYTHING.has(word) || word.includes('__'))
    const isOwn = [...words].some((word) => OWN_TABLE.has(word))
    const columns = isAny
      ? [...columnsOf(this.schema).byRef.values()]
      : [...words].flatMap((word) => this.columnsById.get(word) ?? [])
    const tables = isAny
      ? this.schema.tables
      : [...words].flatMap((word) => this.tablesById.get(word) ?? [])
    const own = isOwn ? [table] : []
    const refs = [...columns.map(({ column }) => column.ref)]
    if (isOwn) refs.push(...table.columns.map(({ ref }) => ref))
    if (this.reads + refs.length + tables.length > MAX_READS) return undefined
    const reads: Read[] = [
      ...[...new Set(refs)].map((columnRef): Read => ({ from: 'any', path: [], columnRef })),
      ...[...new Set([...tables, ...own])].map(({ ref }): Read => ({
        from: 'any',
        path: [],
        tableRef: ref,
      })),
    ]
    return { lookups: [], reads, assumed: true }
  }
}
