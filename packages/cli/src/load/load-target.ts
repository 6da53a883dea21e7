import { CliError } from '../cli-error'
import { cellJson, type GuessedType } from '../csv/column-guess'
import { getFirstWorkspace } from '../first-workspace'
import type { RestClient } from '../rest-client'

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

interface RestColumn {
  id: string
  fields: { label?: string; type?: string }
}

/** The target document: an existing one, or a new one in a workspace (the first one by default). */
export interface WantedDocument {
  readonly doc?: string
  readonly workspace?: string
  readonly name: string
}

/** Opens the target document, or creates it. */
export async function openDocument(rest: RestClient, wanted: WantedDocument): Promise<string> {
  if (wanted.doc !== undefined) return wanted.doc
  const workspace = wanted.workspace ?? (await getFirstWorkspace(rest))
  return rest.post<string>(`/api/workspaces/${encodeURIComponent(workspace)}/docs`, {
    name: wanted.name,
  })
}

/** Opens the target table: an existing one by id, or a new one with the file's columns. */
export async function openTable(
  rest: RestClient,
  docId: string,
  wanted: {
    table: string
    append: boolean
    headers: readonly string[]
    types: readonly GuessedType[]
  },
): Promise<LoadTarget> {
  const { table, append, headers, types } = wanted
  const path = `/api/docs/${encodeURIComponent(docId)}/tables`
  if (append && (await hasTable(rest, path, table))) {
    const columns = await listColumns(rest, docId, table)
    return { docId, tableId: table, columns: matchColumns(table, headers, columns) }
  }
  const made = await rest.post<{ tables: { id: string }[] }>(path, {
    tables: [
      { id: table, columns: headers.map((header, i) => newColumn(header, types[i] ?? 'Text')) },
    ],
  })
  const tableId = made.tables[0]?.id ?? ''
  const columns = await listColumns(rest, docId, tableId)
  if (columns.length !== headers.length) {
    throw new CliError(`the server created ${columns.length} columns for ${headers.length} headers`)
  }
  return { docId, tableId, columns: columns.map(({ id }, i) => ({ id, type: types[i] ?? 'Text' })) }
}

async function hasTable(rest: RestClient, path: string, table: string): Promise<boolean> {
  const { tables } = await rest.get<{ tables: { id: string }[] }>(path)
  return tables.some(({ id }) => id === table)
}

/** For an empty header the server chooses both names; for equal headers it generates different ids. */
function newColumn(header: string, type: GuessedType): object {
  const label = header.trim()
  return label === '' ? { fields: { type } } : { id: label, fields: { label, type } }
}

async function listColumns(
  rest: RestClient,
  docId: string,
  tableId: string,
): Promise<RestColumn[]> {
  const path = `/api/docs/${encodeURIComponent(docId)}/tables/${encodeURIComponent(tableId)}/columns`
  return (await rest.get<{ columns: RestColumn[] }>(path)).columns
}

/** Matches columns of an existing table by label, or else by id. Throws CliError for an unknown header. */
function matchColumns(
  table: string,
  headers: readonly string[],
  columns: readonly RestColumn[],
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
    const keepsText = ['Text', 'Choice', 'Any'].includes(column.fields.type?.split(':')[0] ?? '')
    return { id: column.id, type: keepsText ? 'given text' : 'given' }
  })
}

/** Creates a function that encodes the cells of a row as the JSON of one record. */
export function createRecordWriter(
  columns: readonly TargetColumn[],
): (cells: readonly string[]) => string {
  const keys = columns.map(({ id }, i) => `${i === 0 ? '' : ','}${JSON.stringify(id)}:`)
  return (cells) => {
    let json = '{"fields":{'
    for (let i = 0; i < columns.length; i++) {
      json += (keys[i] ?? '') + valueJson(cells[i] ?? '', columns[i]?.type ?? 'Text')
    }
    return `${json}}}`
  }
}

function valueJson(text: string, type: TargetColumn['type']): string {
  if (type === 'given') return text === '' ? 'null' : JSON.stringify(text)
  return cellJson(text, type === 'given text' ? 'Text' : type)
}
