import type { Cell, Column, NewColumn, Sheaf } from '@sheaf/client'
import { CliError } from '../cli-error'
import { cellValue, type GuessedType } from '../csv/column-guess'
import { getFirstWorkspace } from '../workspace'

/** A column of the target table. */
export interface TargetColumn {
  readonly id: string
  /** `given` for a column of an existing table: the server parses texts by the column's own type. */
  readonly type: GuessedType | 'given' | 'given text'
}

/** The target table. */
export interface LoadTarget {
  readonly docId: string
  readonly tableId: string
  readonly columns: readonly TargetColumn[]
}

/** The target document: an existing one, or a new one in a workspace (the first one by default). */
export interface WantedDocument {
  readonly doc?: string
  readonly workspace?: number
  readonly name: string
}

/** Opens the target document, or creates it. */
export async function openDocument(sheaf: Sheaf, wanted: WantedDocument): Promise<string> {
  if (wanted.doc !== undefined) return wanted.doc
  const workspaceId = wanted.workspace ?? (await getFirstWorkspace(sheaf))
  return (await sheaf.documents.create({ workspaceId, name: wanted.name })).id
}

/** Opens the target table: an existing one by id, or a new one with the file's columns. */
export async function openTable(
  sheaf: Sheaf,
  docId: string,
  wanted: {
    table: string
    append: boolean
    headers: readonly string[]
    types: readonly GuessedType[]
  },
): Promise<LoadTarget> {
  const { table, append, headers, types } = wanted
  const doc = sheaf.doc(docId)
  if (append && (await doc.tables()).some(({ id }) => id === table)) {
    const columns = await doc.table(table).columns.list()
    return { docId, tableId: table, columns: matchColumns(table, headers, columns) }
  }
  const newColumns = headers.map((header, i) => newColumn(header, types[i] ?? 'Text'))
  const [tableId = ''] = await doc.addTables([{ id: table, columns: newColumns }])
  const columns = await doc.table(tableId).columns.list()
  if (columns.length !== headers.length) {
    throw new CliError(`the server created ${columns.length} columns for ${headers.length} headers`)
  }
  return { docId, tableId, columns: columns.map(({ id }, i) => ({ id, type: types[i] ?? 'Text' })) }
}

/** For an empty header the server chooses both names; for equal headers it generates different ids. */
function newColumn(header: string, type: GuessedType): NewColumn {
  const label = header.trim()
  return label === '' ? { fields: { type } } : { id: label, fields: { label, type } }
}

/** Matches columns of an existing table by label, or else by id. Throws CliError for an unknown header. */
function matchColumns(
  table: string,
  headers: readonly string[],
  columns: readonly Column[],
): TargetColumn[] {
  const free = new Set(columns)
  return headers.map((header) => {
    const name = header.trim()
    const column =
      [...free].find(({ fields }) => fields.label === name) ??
      [...free].find(({ id }) => id === name)
    if (!column) {
      const known = columns.map(({ id, fields }) => fields.label || id).join(', ')
      throw new CliError(`table ${table} has no column "${name}"; it has ${known}`)
    }
    free.delete(column)
    const keepsText = ['Text', 'Choice', 'Any'].includes(column.fields.type.split(':')[0] ?? '')
    return { id: column.id, type: keepsText ? 'given text' : 'given' }
  })
}

/** Creates a function that converts the cells of a row to a record. */
export function createRecordMaker(
  columns: readonly TargetColumn[],
): (cells: readonly string[]) => Record<string, Cell> {
  return (cells) => {
    const record: Record<string, Cell> = {}
    columns.forEach(({ id, type }, i) => (record[id] = valueOf(cells[i] ?? '', type)))
    return record
  }
}

/** Returns about how many characters the JSON of a record has besides the texts of its cells. */
export function countOwnChars(columns: readonly TargetColumn[]): number {
  return columns.reduce((chars, { id }) => chars + id.length + 6, '{"fields":{}},'.length)
}

function valueOf(text: string, type: TargetColumn['type']): Cell {
  if (type === 'given') return text === '' ? null : text
  return cellValue(text, type === 'given text' ? 'Text' : type)
}
