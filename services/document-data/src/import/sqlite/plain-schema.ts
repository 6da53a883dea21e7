import { quoteId } from '../../quoting/quote'
import { tableIdFor } from '../../identifiers'
import { shown, tooMuch } from '../import-errors'
import { importLimits } from '../import-limits'
import type { ImportNotes } from '../import-notes'
import type { SchemaObject, StoredColumn, UploadedDatabase } from './uploaded-database'

/** A table of a SQLite file of any program. */
export interface PlainTable {
  readonly name: string
  /** Its id in the document. */
  readonly tableId: string
  /** The column whose values become the row ids; absent when rows are numbered. */
  readonly key?: string
  readonly columns: readonly PlainColumn[]
}

/** A column of such a table. */
export interface PlainColumn {
  readonly name: string
  /** Id of the table whose row ids it contains. */
  readonly references?: string
  /** True for one that is declared as a truth value and contains nothing else. */
  readonly isTruth: boolean
}

interface ForeignKey {
  readonly id: number
  readonly table: string
  readonly from: string
  /** Null for the primary key of the table. */
  readonly to: string | null
}

/**
 * The tables of a SQLite file and what refers to what. A primary key of one column becomes the row id when all of its
 * values can be one; a foreign key of one column that refers to such a key becomes a reference.
 */
export function readPlainSchema(source: UploadedDatabase, notes: ImportNotes): PlainTable[] {
  const names = source.tableNames.filter((name) => !isInternal(name, source))
  if (names.length > importLimits.tables)
    throw tooMuch(`an import must not have more than ${importLimits.tables} tables`)
  noteLeftOut(source, notes)
  const taken = new Set<string>()
  const tables = names.map((name) => {
    const tableId = tableIdFor(name, taken)
    taken.add(tableId.toLowerCase())
    const columns = source.columnsOf(name).filter(({ isPlain }) => isPlain)
    return { name, tableId, columns, key: findKey(source, { name, columns }, notes) }
  })
  const byName = new Map(tables.map((table) => [table.name.toLowerCase(), table]))
  return tables.map(({ name, tableId, columns, key }) => {
    const targets = new Map<string, string>()
    for (const { table, from, to } of readForeignKeys(source, name)) {
      const target = byName.get(table.toLowerCase())
      if (target?.key === undefined) continue
      if (to === null || to.toLowerCase() === target.key.toLowerCase())
        targets.set(from.toLowerCase(), target.tableId)
    }
    const kept = columns.filter((column) => column.name !== key || targets.has(key.toLowerCase()))
    return {
      name,
      tableId,
      ...(key !== undefined && { key }),
      columns: kept.map((column) => {
        const references = targets.get(column.name.toLowerCase())
        const isTruth = isTruthColumn(source, name, column)
        return { name: column.name, isTruth, ...(references !== undefined && { references }) }
      }),
    }
  })
}

/** Suffixes of the tables in which the virtual tables that come with SQLite store their contents. */
const SHADOW = /_(?:content|data|idx|docsize|config|segments|segdir|stat|node|parent|rowid)$/i

function isInternal(name: string, { objects }: UploadedDatabase): boolean {
  if (/^sqlite_/i.test(name)) return true
  const owner = SHADOW.test(name) ? name.replace(SHADOW, '').toLowerCase() : ''
  return objects.some((object) => isVirtual(object) && object.name.toLowerCase() === owner)
}

function isVirtual({ type, rootpage }: SchemaObject): boolean {
  return type === 'table' && !(rootpage > 0)
}

function noteLeftOut(source: UploadedDatabase, notes: ImportNotes): void {
  for (const object of source.objects) {
    const { type, name } = object
    if (type === 'view' || type === 'trigger') notes.add(`left out: ${type} ${shown(name)}`)
    else if (isVirtual(object)) notes.add(`left out: virtual table ${shown(name)}`)
    else if (type === 'table')
      for (const column of source.columnsOf(name))
        if (!column.isPlain)
          notes.add(`left out: computed column ${shown(column.name)} of table ${shown(name)}`)
  }
}

/** The column of a primary key whose values can be row ids. */
function findKey(
  source: UploadedDatabase,
  table: { readonly name: string; readonly columns: readonly StoredColumn[] },
  notes: ImportNotes,
): string | undefined {
  const keys = table.columns.filter(({ pk }) => pk > 0)
  const [key] = keys
  if (!key) return undefined
  const column = quoteId(key.name)
  const fits =
    keys.length === 1 &&
    source.db
      .prepare<[number], number>(
        `SELECT count(*) = count(DISTINCT iif(typeof(${column}) = 'integer' AND ${column} BETWEEN 1 AND ?, ${column}, NULL))
         FROM ${quoteId(table.name)}`,
      )
      .pluck()
      .get(importLimits.rowId) === 1
  if (fits) return key.name
  notes.add(
    `changed: the primary key of table ${shown(table.name)} is data, because row ids are single whole numbers from 1`,
  )
  return undefined
}

/** The foreign keys of one column. */
function readForeignKeys(source: UploadedDatabase, table: string): ForeignKey[] {
  const keys = source.db
    .prepare<[string], ForeignKey>(
      'SELECT id, "table", "from", "to" FROM pragma_foreign_key_list(?)',
    )
    .all(table)
  const widths = new Map<number, number>()
  for (const { id } of keys) widths.set(id, (widths.get(id) ?? 0) + 1)
  return keys.filter(({ id }) => widths.get(id) === 1)
}

function isTruthColumn(source: UploadedDatabase, table: string, column: StoredColumn): boolean {
  if (!/^bool/i.test(column.type)) return false
  const name = quoteId(column.name)
  const other = source.db
    .prepare<[], number>(
      `SELECT 1 FROM ${quoteId(table)} WHERE typeof(${name}) <> 'integer' OR ${name} NOT IN (0, 1) LIMIT 1`,
    )
    .pluck()
  return other.get() === undefined
}
