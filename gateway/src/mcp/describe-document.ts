import { AppError } from '@sheaf/kit/errors'
import { cutText } from '@sheaf/kit/truncate-text'
import type { Column } from '@sheaf/protos/sheaf/document_data/v1/columns'
import { z } from 'zod'
import { readTableSchema } from '../document-types/document-schema'
import { DocumentSession } from '../routing/document-session'
import { text } from '../schemas/text'
import { cursorAt, readPosition, takeFitting } from './answer-budget'
import { defineTool, docId, type Tool } from './tool'

/** Bytes of one answer, without the names around the columns. */
const DESCRIPTION_BYTES = 7 * 1024
/** Length at which labels, descriptions and formulas are cut. */
const MAX_TEXT = 1_000
/** Choices of a column in one answer, and length at which each is cut. */
const MAX_CHOICES = 50
const MAX_CHOICE = 100

/** A column of a table with its type; or none, for a table that may have no columns. */
interface ListedColumn {
  readonly table: string
  readonly column: Readonly<Record<string, string>>
}

/** Tables and columns of a document. */
export const describeDocument: Tool = defineTool({
  name: 'describe_document',
  title: 'Describe tables and columns',
  description:
    'Returns the tables of a document with the ids and types of their columns; for one table (tableId), also labels, descriptions, formulas and choices. Columns with a formula cannot be written. An answer has at most 8 kB; continue with nextCursor.',
  schema: z.strictObject({
    docId,
    tableId: text.optional().describe('Describe the columns of this table in detail'),
    cursor: z.string().optional().describe('`nextCursor` of the previous answer'),
  }),
  async run({ exchange }, { docId: name, tableId, cursor }) {
    const start = readPosition(cursor)
    const document = await DocumentSession.open(exchange, name, 'viewers')
    if (tableId === undefined) return describeTables(document, start)
    return describeTable(document, tableId, start)
  },
})

async function describeTables(document: DocumentSession, start: number): Promise<string> {
  const { docId } = document
  const { tables, seq } = await document.read((home, call) =>
    home.tables.listTables({ docId, withColumns: true }, call),
  )
  const all = tables.flatMap(({ id: table, columns }): ListedColumn[] => [
    { table, column: {} },
    ...columns.map((column) => ({ table, column: { [column.id]: shortType(column) } })),
  ])
  const { items, next } = takeFitting(all, start, DESCRIPTION_BYTES)
  const shown = new Map<string, Record<string, string>>()
  for (const { table, column } of items) shown.set(table, { ...shown.get(table), ...column })
  return JSON.stringify({
    seq,
    tables: [...shown].map(([id, columns]) => ({ id, columns })),
    nextCursor: cursorAt(next),
  })
}

/** `Text`, `Ref:Teams`, `Numeric = formula` */
function shortType({ fields }: Column): string {
  const isComputed = fields?.isFormula === true && fields.formula !== ''
  return `${fields?.type ?? 'Any'}${isComputed ? ' = formula' : ''}`
}

async function describeTable(
  document: DocumentSession,
  tableId: string,
  start: number,
): Promise<string> {
  const { docId } = document
  const { columns } = await document.read((home, call) =>
    home.columns.listColumns({ docId, tableId, hidden: false }, call),
  )
  const details = columns.map((column) => describeColumn(column))
  const { items, next } = takeFitting(details, start, DESCRIPTION_BYTES)
  if (start > 0 && items.length === 0)
    throw new AppError('invalid', 'INVALID_CURSOR', 'cursor is beyond the last column', {
      parameter: 'cursor',
    })
  return JSON.stringify({ tableId, columns: items, nextCursor: cursorAt(next) })
}

function describeColumn(column: Column) {
  const { id, fields } = column
  if (!fields) throw new Error('document-data described a column in part')
  const { label = '', description = '', formula = '', type, isFormula } = fields
  return {
    id,
    type,
    ...(label !== id && { label: cutText(label, MAX_TEXT) }),
    ...(description !== '' && { description: cutText(description, MAX_TEXT) }),
    ...(formula !== '' && { formula: cutText(formula, MAX_TEXT), isFormula }),
    ...describeChoices(column),
  }
}

function describeChoices(column: Column) {
  const [schema] = readTableSchema('', [column]).columns
  const choices = schema && 'choices' in schema.type ? schema.type.choices : []
  if (choices.length === 0) return {}
  return {
    choices: choices.slice(0, MAX_CHOICES).map((choice) => cutText(choice, MAX_CHOICE)),
    ...(choices.length > MAX_CHOICES && { choicesInAll: choices.length }),
  }
}
