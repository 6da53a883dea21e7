import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Row } from '../load/rows'
import { renderCsv, renderSheet } from './plain-exports'
import { createPlainFile, openPlainTable, type PlainTable } from './plain-table'

function render(rows: ({ id: number } & Row)[]): string {
  const records = rows.map(({ id, ...fields }) => ({
    id,
    fields: { ...fields, Active: Boolean(fields.Active) },
  }))
  return JSON.stringify({ records })
}

/** Executes a request and returns its response. */
type Act = (url: URL, body: string) => string | Buffer | Promise<Buffer>

function createActs(folder: string, table: PlainTable): Record<string, Act> {
  let documents = 0
  return {
    'GET /records': (url) => render(table.fetch(url.searchParams)),
    'GET /csv': (url) => renderCsv(table.fetch(url.searchParams)),
    'GET /xlsx': (url) => renderSheet(table.fetch(url.searchParams)),
    'GET /sqlite': () => table.copy(),
    'GET /sql': (url) => {
      const statement = url.searchParams.get('q') ?? ''
      const records = table.query(statement).map((fields) => ({ fields }))
      return JSON.stringify({ statement, records })
    },
    'GET /document': () =>
      JSON.stringify(table.query("SELECT name, sql FROM sqlite_schema WHERE type = 'table'")),
    'POST /records': (_, body) => {
      const { records } = JSON.parse(body) as { records: { fields: Row }[] }
      return JSON.stringify({ records: table.add(records) })
    },
    'PATCH /records': (_, body) => {
      const { records } = JSON.parse(body) as { records: { id: number; fields: Partial<Row> }[] }
      table.patch(records)
      return 'null'
    },
    'PUT /records': (_, body) => {
      const { records } = JSON.parse(body) as {
        records: { require: Partial<Row>; fields: Partial<Row> }[]
      }
      return JSON.stringify({ recordIds: table.addOrUpdate(records) })
    },
    'POST /documents': () => {
      const number = ++documents
      createPlainFile(join(folder, `document-${number}.sqlite`)).close()
      return JSON.stringify(number)
    },
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

/**
 * The baseline of the comparison: a minimal server that does the same work on the same table. One process,
 * node:http, better-sqlite3 with the same durability, JSON.parse and JSON.stringify; no access checks, no
 * types, no history. Run with a folder as its argument; prints its port.
 */
async function main(folder: string): Promise<void> {
  const acts = createActs(folder, openPlainTable(folder))

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://plain')
    const act = acts[`${request.method} ${url.pathname}`]
    if (!act) throw new Error(`nothing answers ${request.method} ${url.pathname}`)
    const answered = await act(url, request.method === 'GET' ? '' : await readBody(request))
    const body = typeof answered === 'string' ? Buffer.from(answered) : answered
    response.writeHead(200, {
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': body.length,
    })
    response.end(body)
  }

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      const text = String(error)
      response.writeHead(500, { 'Content-Length': Buffer.byteLength(text) }).end(text)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`)
}

void main(process.argv[2] ?? '.')
