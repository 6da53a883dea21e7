import type { Connection } from '../../store/sqlite/connections'
import type { Schema } from '../../store/schema/schema'
import { columnsOf, type ColumnOfTable } from './formula-columns'
import { noRelations, readRelations, type Lookup, type Read, type Relations } from './relations'

/** One read of a formula column. */
export interface Reader {
  readonly of: ColumnOfTable
  readonly read: Read
}

/** One lookup of a formula column, and its position in the relations. */
export interface LookupUser {
  readonly of: ColumnOfTable
  readonly lookup: Lookup
  readonly position: number
}

/** Who depends on what in one document: the relations of its formula columns, indexed by what they read. */
export class Dependencies {
  private readonly readers = new Map<number, Reader[]>()
  private readonly rowReaders = new Map<number, Reader[]>()
  private readonly keyUsers = new Map<number, LookupUser[]>()
  private readonly tableLookups = new Map<number, LookupUser[]>()

  private constructor(
    private readonly schema: Schema,
    private readonly relations: ReadonlyMap<number, Relations>,
  ) {
    const { byRef, computed } = columnsOf(schema)
    for (const of of computed) {
      const { lookups, reads } = this.relationsOf(of.column.ref)
      for (const read of reads) {
        if (read.columnRef !== undefined) add(this.readers, read.columnRef, { of, read })
        const tableRef = read.tableRef ?? byRef.get(read.columnRef ?? 0)?.table.ref
        // A row that comes or goes concerns all reads of its table except those of a formula's own row.
        if (tableRef !== undefined && (read.from !== 'row' || read.path.length > 0))
          add(this.rowReaders, tableRef, { of, read })
      }
      lookups.forEach((lookup, position) => {
        const user = { of, lookup, position }
        add(this.tableLookups, lookup.tableRef, user)
        for (const ref of lookup.keys) add(this.keyUsers, ref, user)
      })
    }
  }

  /** Reads the dependencies of a document with this schema. */
  static load(connection: Connection, schema: Schema): Dependencies {
    return new Dependencies(schema, readRelations(connection))
  }

  /** These dependencies with other relations of some columns, or another schema. */
  changed(schema: Schema, relations: ReadonlyMap<number, Relations>): Dependencies {
    if (schema === this.schema && relations.size === 0) return this
    return new Dependencies(schema, new Map([...this.relations, ...relations]))
  }

  /** These dependencies with nothing known of some columns, by ref. */
  without(schema: Schema, columnRefs: ReadonlySet<number>): Dependencies {
    return this.changed(schema, new Map([...columnRefs].map((ref) => [ref, noRelations])))
  }

  /** The relations of a formula column. */
  relationsOf(columnRef: number): Relations {
    return this.relations.get(columnRef) ?? noRelations
  }

  /** Reads of a column. */
  readersOf(columnRef: number): readonly Reader[] {
    return this.readers.get(columnRef) ?? []
  }

  /** Reads that a row of the table may concern that comes or goes. */
  readersOfRows(tableRef: number): readonly Reader[] {
    return this.rowReaders.get(tableRef) ?? []
  }

  /** Lookups in which a column is a key. */
  lookupsBy(columnRef: number): readonly LookupUser[] {
    return this.keyUsers.get(columnRef) ?? []
  }

  /** Lookups in a table. */
  lookupsIn(tableRef: number): readonly LookupUser[] {
    return this.tableLookups.get(tableRef) ?? []
  }
}

function add<T>(map: Map<number, T[]>, key: number, value: T): void {
  const list = map.get(key)
  if (list) list.push(value)
  else map.set(key, [value])
}
