import type { StoredValue } from '../../values/column-type'
import { quoteId } from '../../quoting/quote'
import type { DocumentWriter } from '../document'
import type { Column, Table } from '../schema/schema'

/** Look-ups by a table scan; beyond this number, one scan of the whole column serves all that follow. */
const SCANS = 8

/**
 * Finds the row of a table that has a value in a column given by id or by ref; the lowest row id of several.
 */
export type Lookup = (
  text: string,
  by: { readonly colId?: string; readonly colRef?: number },
) => bigint | undefined

/**
 * A look-up into a table, valid during one write. Finds nothing when the table or the column does not exist.
 */
export function createLookup(doc: DocumentWriter, tableId: string): Lookup {
  const table = doc.schema.find(tableId)
  const finders = new Map<string, (text: string) => bigint | undefined>()
  return (text, by) => {
    const column =
      by.colId === undefined
        ? table?.columns.find(({ ref }) => ref === by.colRef)
        : table?.byId.get(by.colId)
    if (!table || !column) return undefined
    const known = finders.get(column.id)
    const find = known ?? createFinder(doc, table, column)
    if (!known) finders.set(column.id, find)
    return find(text)
  }
}

function createFinder(
  doc: DocumentWriter,
  table: Table,
  column: Column,
): (text: string) => bigint | undefined {
  const { connection } = doc
  const [from, name] = [quoteId(table.tableId), quoteId(column.id)]
  const context = { settings: doc.schema.settings, widgetOptions: {} }
  let scans = 0
  let all: Map<StoredValue, bigint> | undefined
  return (text) => {
    const value = column.type.toStored(text, context, { noParse: false })
    if (value === null) return undefined
    if (!all && scans++ < SCANS) {
      const id = connection
        .pluck<number>(`SELECT id FROM ${from} WHERE ${name} = ? ORDER BY id LIMIT 1`)
        .get(value)
      return id === undefined ? undefined : BigInt(id)
    }
    all ??= readColumn(doc, from, name)
    return all.get(typeof value === 'bigint' ? Number(value) : value)
  }
}

function readColumn(
  { connection }: DocumentWriter,
  from: string,
  name: string,
): Map<StoredValue, bigint> {
  const rows = connection
    .raw<[number, StoredValue]>(
      `SELECT id, ${name} FROM ${from} WHERE ${name} IS NOT NULL ORDER BY id DESC`,
    )
    .all()
  // In descending order, so that the lowest id is written last.
  return new Map(rows.map(([id, value]) => [value, BigInt(id)]))
}
