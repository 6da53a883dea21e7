import { createHash } from 'node:crypto'
import { z } from 'zod'
import { knows } from '../http/entity-tags'
import type { Exchange } from '../http/exchange'
import { sendBytes, sendHead } from '../http/reply'
import { readTableSchema, type TableSchema } from '../document-types/document-schema'
import { describeFields } from '../document-types/json-schema'
import { generatePython } from '../document-types/python'
import { generateTypeScript } from '../document-types/typescript'
import type { DocumentSession } from '../routing/document-session'
import { defineRoute, type Route } from '../routing/route'
import { docParams, tableParams } from '../schemas/parameters'

const tag = 'tables'
const headers = z.object({
  'If-None-Match': z.string().optional().meta({
    description:
      'ETags of cached responses, separated by commas. Returns 304 if no table or column has changed since.',
  }),
})
const statuses = {
  304: 'The copy that `If-None-Match` names is current. The response has no body.',
}
const plain = 'text/plain'

/** Types of a document's tables, for programs. Their ETag is that of the types: writing records does not change it. */
export const typeRoutes: readonly Route[] = [
  defineRoute({
    method: 'get',
    path: '/api/docs/{docId}/types.ts',
    id: 'getTypeScriptTypes',
    tag,
    summary: 'Get TypeScript types of a document',
    description:
      'Returns a TypeScript module whose interface `SheafDocument` has the tables of the document: of each its row id, its cells as read, and the cells that can be written. Formula columns are read-only.',
    access: 'viewers',
    params: docParams,
    headers,
    statuses,
    success: { description: 'TypeScript module', schema: z.string(), mediaType: plain },
    async handle(exchange, { document }) {
      sendTagged(exchange, generateTypeScript(await listTables(document)), plain)
    },
  }),
  defineRoute({
    method: 'get',
    path: '/api/docs/{docId}/types.py',
    id: 'getPythonTypes',
    tag,
    summary: 'Get Python types of a document',
    description:
      'Returns a Python module with two `TypedDict` classes per table: the fields of a record as read, `PeopleRecord`, and those that can be written, `PeopleInput`.',
    access: 'viewers',
    params: docParams,
    headers,
    statuses,
    success: { description: 'Python module', schema: z.string(), mediaType: plain },
    async handle(exchange, { document }) {
      sendTagged(exchange, generatePython(await listTables(document)), plain)
    },
  }),
  defineRoute({
    method: 'get',
    path: '/api/docs/{docId}/tables/{tableId}/schema',
    id: 'getTableJsonSchema',
    tag,
    summary: 'Get the JSON Schema of a table',
    description:
      'Describes the `fields` of a record of the table, as read, by JSON Schema 2020-12. Formula columns are `readOnly`.',
    access: 'viewers',
    params: tableParams,
    headers,
    statuses,
    success: {
      description: 'JSON Schema',
      schema: z.looseObject({}),
      mediaType: 'application/schema+json',
    },
    async handle(exchange, { document, params: { tableId } }) {
      const { docId } = document
      const { columns } = await document.read((home, call) =>
        home.columns.listColumns({ docId, tableId, hidden: false }, call),
      )
      const schema = describeFields(readTableSchema(tableId, columns))
      sendTagged(exchange, JSON.stringify(schema), 'application/schema+json')
    },
  }),
]

async function listTables(document: DocumentSession): Promise<TableSchema[]> {
  const { docId } = document
  const { tables } = await document.read((home, call) =>
    home.tables.listTables({ docId, withColumns: true }, call),
  )
  return tables.map(({ id, columns }) => readTableSchema(id, columns))
}

/** Sends a text with an ETag made from it, or 304 to a client that has it. */
function sendTagged(exchange: Exchange, text: string, type: string): void {
  const etag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"`
  // Weak: a compressed answer has the same one.
  exchange.headers.push('ETag', `W/${etag}`)
  if (!knows(exchange.request.headers['if-none-match'], etag)) {
    return sendBytes(exchange, Buffer.from(text), { mediaType: `${type}; charset=utf-8` })
  }
  exchange.headers.push('Vary', 'Accept-Encoding')
  sendHead(exchange, { status: 304 })
  exchange.response.end()
}
