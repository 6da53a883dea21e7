import type { Connection } from '../../store/sqlite/connections'

/**
 * A lookup of rows by keys: `lookupRecords`, `lookupOne` and what is built on them. A key of a `contains` lookup is an
 * item of a list column.
 */
export interface Lookup {
  readonly tableRef: number
  /** Refs of the key columns. */
  readonly keys: readonly number[]
  readonly contains: readonly boolean[]
}

/**
 * What a formula reads. `row`: of its own row, over the references `path`. A number: of the rows that the lookup with
 * this position finds, over `path`; without `column`, which rows those are. `any`: of any row of the column's table;
 * without `column`, which rows the table has.
 */
export interface Read {
  readonly from: 'row' | 'any' | number
  /** Refs of the Ref and RefList columns that lead from the row to the one that is read. */
  readonly path: readonly number[]
  readonly columnRef?: number
  readonly tableRef?: number
}

/** What a formula column depends on, as far as its formula has run. */
export interface Relations {
  readonly lookups: readonly Lookup[]
  readonly reads: readonly Read[]
  /** True when they follow from the text of the formula: known ones replace them once the whole column is computed. */
  readonly assumed?: boolean
}

/** The relations of a formula that has not run. */
export const noRelations: Relations = { lookups: [], reads: [] }

/** Collects the relations of one column; the position of a lookup never changes. */
export class RelationsBuilder {
  private readonly lookups: Lookup[]
  private readonly reads: Read[]
  private readonly lookupKeys: Map<string, number>
  private readonly readKeys: Set<string>
  private grown = false

  constructor(private readonly known: Relations) {
    const { lookups, reads } = known
    this.lookups = [...lookups]
    this.reads = [...reads]
    this.lookupKeys = new Map(lookups.map((lookup, i) => [JSON.stringify(lookup), i]))
    this.readKeys = new Set(reads.map((read) => JSON.stringify(read)))
  }

  /** True when something was added. */
  get hasGrown(): boolean {
    return this.grown
  }

  /** The relations so far. */
  get relations(): Relations {
    return { ...this.known, lookups: this.lookups, reads: this.reads }
  }

  /** Position of a lookup, which is added when it is new. */
  lookup(lookup: Lookup): number {
    const key = JSON.stringify(lookup)
    const known = this.lookupKeys.get(key)
    if (known !== undefined) return known
    this.grown = true
    this.lookupKeys.set(key, this.lookups.length)
    return this.lookups.push(lookup) - 1
  }

  /** Adds a read when it is new. */
  read(read: Read): void {
    const key = JSON.stringify(read)
    if (this.readKeys.has(key)) return
    this.grown = true
    this.readKeys.add(key)
    this.reads.push(read)
  }
}

/** The relations of all formula columns of a document, by column ref. */
export function readRelations(connection: Connection): Map<number, Relations> {
  const rows = connection
    .raw<[number, string]>('SELECT column_ref, relations FROM _sheaf_formulas')
    .all()
  return new Map(rows.map(([ref, json]) => [ref, JSON.parse(json) as Relations]))
}
