import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { columns, type Row } from './rows'

const names = Object.keys(columns) as (keyof Row)[]

/** The table and the two things that are done with it. */
function openTable(file: string) {
  const db = new Database(file)
  db.pragma('journal_mode = WAL')
  db.pragma('synchronous = FULL')
  db.exec(`CREATE TABLE t (id INTEGER PRIMARY KEY, ${names.map((name) => `"${name}"`).join(', ')})`)
  const insert = db.prepare(
    `INSERT INTO t (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
  )
  const addAll = db.transaction((records: { fields: Row }[]) =>
    records.map(({ fields }) => {
      const values = names.map((name) =>
        typeof fields[name] === 'boolean' ? Number(fields[name]) : fields[name],
      )
      return { id: Number(insert.run(values).lastInsertRowid) }
    }),
  )
  const fetchRows = (query: URLSearchParams) => {
    const filter = JSON.parse(query.get('filter') ?? '{}') as Record<string, unknown[]>
    const wanted = Object.entries(filter)
    const where = wanted.map(
      ([name, values]) => `"${name}" IN (${values.map(() => '?').join(', ')})`,
    )
    const sql = `SELECT * FROM t ${where.length > 0 ? `WHERE ${where.join(' AND ')}` : ''} ORDER BY id LIMIT ?`
    const limit = Number(query.get('limit') ?? 0) || -1
    return db.prepare(sql).all(...wanted.flatMap(([, values]) => values), limit)
  }
  return { fetchRows, addRows: (records: { fields: Row }[]) => addAll.immediate(records) }
}

function render(rows: unknown[]): string {
  const records = (rows as ({ id: number } & Row)[]).map(({ id, ...fields }) => ({
    id,
    fields: { ...fields, Active: Boolean(fields.Active) },
  }))
  return JSON.stringify({ records })
}

/**
 * What Sheaf is measured against: the plainest server that does the same work on the same table. One process, node:http,
 * better-sqlite3 with the same durability, JSON.parse and JSON.stringify; no access checks, no types, no history.
 * Run with a folder as its argument; prints its port.
 */
async function main(folder: string): Promise<void> {
  const table = openTable(join(folder, 'plain.sqlite'))

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text: string
    if (request.method === 'POST') {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      const { records } = JSON.parse(Buffer.concat(chunks).toString()) as {
        records: { fields: Row }[]
      }
      text = JSON.stringify({ records: table.addRows(records) })
    } else {
      text = render(table.fetchRows(new URL(request.url ?? '/', 'http://plain').searchParams))
    }
    const body = Buffer.from(text)
    response.writeHead(200, {
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': body.length,
    })
    response.end(body)
  }

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`)
}

void main(process.argv[2] ?? '.')
