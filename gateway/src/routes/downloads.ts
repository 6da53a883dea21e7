import { HeaderStyle } from '@sheaf/protos/sheaf/document_data/v1/export'
import { z } from 'zod'
import { attachmentNamed } from '../documents/attachment-name'
import { readDocument, getReadOptions } from '../documents/conditional-requests'
import type { DocumentSession } from '../routing/document-session'
import type { Exchange } from '../http/exchange'
import { sendChunks } from '../documents/record-stream'
import { originOf } from '../http/origin'
import { sendBytes, sendJson, type ReplyHead } from '../http/reply'
import { defineRoute, type Route } from '../routing/route'
import {
  documentDownload,
  schemaQuery,
  tableDownload,
  tableSchema,
  workbookDownload,
} from '../schemas/downloads'
import { docParams } from '../schemas/parameters'

const tag = 'docs'
const path = '/api/docs/{docId}/download'
const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

const headers = { label: HeaderStyle.LABEL, colId: HeaderStyle.COL_ID }

interface DelimitedForm {
  readonly name: 'csv' | 'tsv' | 'dsv'
  readonly delimiter: string
  readonly mediaType: string
}

const delimitedForms: readonly DelimitedForm[] = [
  { name: 'csv', delimiter: ',', mediaType: 'text/csv' },
  { name: 'tsv', delimiter: '\t', mediaType: 'text/tab-separated-values' },
  { name: 'dsv', delimiter: '\u{1F4A9}', mediaType: 'text/x-doo-separated-values' },
]

const toDelimitedRoute = ({ name, delimiter, mediaType }: DelimitedForm): Route =>
  defineRoute({
    method: 'get',
    path: `${path}/${name}`,
    id: `download${name.charAt(0).toUpperCase()}${name.slice(1)}`,
    tag,
    summary: `Download a table as ${name.toUpperCase()}`,
    description: 'Returns display values in UTF-8. Formulas are not escaped.',
    access: 'viewers',
    conditions: 'read',
    streams: true,
    namesPending: true,
    params: docParams,
    query: tableDownload,
    success: { description: 'The file', schema: z.string(), mediaType },
    async handle(exchange, { document, query }) {
      const { tableId, header, rowIds, standard, title, viewSection = 0 } = query
      const fileName = title || (await nameFile(exchange, document, tableId))
      const request = {
        docId: document.docId,
        tableId,
        header: headers[header],
        delimiter,
        rowIds,
        standard,
        viewSection,
        options: getReadOptions(exchange),
      }
      const head = fileHead(`${mediaType}; charset=utf-8`, fileName, `.${name}`)
      await sendChunks(
        exchange,
        document,
        (home, call) => home.exports.exportTable(request, call),
        { head: () => head },
      )
    },
  })

/** Downloads of a document in the formats of other programs. */
export const downloadRoutes: readonly Route[] = [
  ...delimitedForms.map(toDelimitedRoute),
  defineRoute({
    method: 'get',
    path: `${path}/xlsx`,
    id: 'downloadXlsx',
    tag,
    summary: 'Download tables as XLSX',
    description:
      'Returns a workbook with one sheet per table: the table of `tableId`, or all tables. A sheet has at most 1,048,575 records.',
    access: 'viewers',
    conditions: 'read',
    streams: true,
    namesPending: true,
    params: docParams,
    query: workbookDownload,
    success: { description: 'The file', schema: z.string(), mediaType: XLSX },
    async handle(exchange, { document, query }) {
      const { tableId, header, title, viewSection = 0 } = query
      const request = {
        docId: document.docId,
        tableId: tableId ?? '',
        header: headers[header],
        viewSection,
        options: getReadOptions(exchange),
      }
      const head = fileHead(XLSX, title || (await nameFile(exchange, document, tableId)), '.xlsx')
      await sendChunks(
        exchange,
        document,
        (home, call) => home.exports.exportWorkbook(request, call),
        { head: () => head },
      )
    },
  }),
  defineRoute({
    method: 'get',
    path: `${path}/table-schema`,
    id: 'describeTableSchema',
    tag,
    summary: 'Get the table schema of a CSV download',
    description:
      'Describes the CSV file of a table by the Frictionless Table Schema standard. The file at `path` is the CSV download with `standard` set.',
    access: 'viewers',
    conditions: 'read',
    params: docParams,
    query: schemaQuery,
    success: { description: 'Table Schema resource', schema: tableSchema },
    async handle(exchange, { document, query }) {
      const { tableId, header, rowIds, viewSection = 0 } = query
      const request = {
        docId: document.docId,
        tableId,
        header: headers[header],
        path: addressOf(exchange, await describe(exchange, document)),
        rowIds,
        viewSection,
      }
      const described = await readDocument(exchange, document, (home, call, options) =>
        home.exports.getTableSchema({ ...request, options }, call),
      )
      if (described) sendBytes(exchange, described.schemaJson)
    },
  }),
  defineRoute({
    method: 'get',
    path,
    id: 'downloadDoc',
    tag,
    summary: 'Download a document as a SQLite file',
    description:
      'Returns the document as a SQLite database. The history is included only with edit access.',
    access: 'viewers',
    conditions: 'read',
    streams: true,
    namesPending: true,
    params: docParams,
    query: documentDownload,
    success: { description: 'SQLite file', schema: z.string(), mediaType: 'application/x-sqlite3' },
    async handle(exchange, { document, query }) {
      if (query.dryrun) return sendJson(exchange, { dryRun: 'allowed' })
      const request = {
        docId: document.docId,
        noHistory: query.nohistory,
        template: query.template,
        options: getReadOptions(exchange),
      }
      const name = await nameFile(exchange, document)
      await sendChunks(
        exchange,
        document,
        (home, call) => home.exports.exportDocument(request, call),
        {
          head: ({ size, changedAt = 0 }) => ({
            ...fileHead('application/x-sqlite3', name, '.sqlite', [
              'Last-Modified',
              new Date(changedAt).toUTCString(),
            ]),
            length: size,
          }),
        },
      )
    },
  }),
]

/** Returns the metadata of a document. Throws when directory omits a part, which would be a bug. */
async function describe(exchange: Exchange, { docId }: DocumentSession) {
  const { documents } = exchange.context.directory
  const { document, org } = await documents.getDocument(
    { document: docId, site: '' },
    exchange.call(),
  )
  if (!document || !org) throw new Error('directory described a document in part')
  return { document, org }
}

type Described = Awaited<ReturnType<typeof describe>>

/** Name of a file with a document, or with one of its tables. */
async function nameFile(
  exchange: Exchange,
  session: DocumentSession,
  tableId?: string,
): Promise<string> {
  const { document } = await describe(exchange, session)
  return tableId === undefined ? document.name : `${document.name}-${tableId}`
}

/** Files are generated for each request and sent whole: a range requested later could be of another state. */
function fileHead(
  mediaType: string,
  name: string,
  extension: string,
  more: readonly string[] = [],
): ReplyHead {
  const disposition = attachmentNamed(name, extension)
  const headers = ['Content-Disposition', disposition, 'Accept-Ranges', 'none', ...more]
  return { mediaType, headers }
}

/**
 * Address, as seen by the client, of the CSV that a schema request describes: in the form whose values every
 * reader of the standard understands.
 */
function addressOf(exchange: Exchange, { document, org }: Described): string {
  const { url = '' } = exchange.request
  const query = new URLSearchParams(url.slice(url.indexOf('?') + 1))
  query.set('standard', 'true')
  const name = encodeURIComponent(document.urlId ?? document.docId)
  return `${originOf(exchange)}/o/${org.domain}/api/docs/${name}/download/csv?${query.toString()}`
}
