import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

interface StubTable {
  id: string
  columns: { id: string; fields: { label?: string; type?: string } }[]
  rows: Record<string, unknown>[]
}

/** Bodies of the requests, by what they add. */
interface Sent {
  tables: { id: string; columns: StubTable['columns'] }[]
  records: { fields: Record<string, unknown> }[]
}

interface Reply {
  status: number
  retryAfter?: string
  value: unknown
}

/** What happens to a request that adds rows. */
export type Fate =
  | 'serve'
  /** Rows are stored, and the answer is lost. */
  | 'store and hang up'
  | 'hang up'
  | { status: number; retryAfter?: string }

/** A server that answers like Sheaf for one document, and fails as it is told. */
export interface RestStub extends AsyncDisposable {
  readonly url: string
  readonly tables: StubTable[]
  /** Sizes of the batches that were asked to be stored. */
  readonly batches: number[]
  /** What happens to the next requests that add rows; served when there is no more. */
  readonly fates: Fate[]
  maxBodyBytes: number
}

/** Starts the stub on a free port. */
export async function startRestStub(): Promise<RestStub> {
  const tables: StubTable[] = []
  const batches: number[] = []
  const fates: Fate[] = []
  const answers = new Map<string, Reply>()
  const stub = { tables, batches, fates, maxBodyBytes: Infinity }

  /** The answer to a request for the document's tables, or what a table has; undefined for a request that adds rows. */
  function look(pathname: string, sent: Sent | undefined, table: StubTable | undefined): unknown {
    if (pathname === '/api/orgs/current/workspaces') return [{ id: 7 }, { id: 8 }]
    if (pathname === '/api/workspaces/7/docs') return 'doc-1'
    if (pathname === '/api/docs/doc-1/tables') {
      const made = sent?.tables.map(makeTable)
      tables.push(...(made ?? []))
      return { tables: (made ?? tables).map(({ id }) => ({ id })) }
    }
    if (pathname.endsWith('/columns')) return { columns: table?.columns }
    if (pathname.endsWith('/records')) return undefined
    return { records: table?.rows.map((_, i) => ({ id: i + 1 })).slice(-1) }
  }

  /** Stores rows, once for each key, or fails as it is told; null to hang up. */
  function addRecords(key: string, to: StubTable, sent: Sent, bytes: number): Reply | null {
    const answered = answers.get(key)
    if (answered) return answered
    batches.push(sent.records.length)
    const fate = fates.shift() ?? 'serve'
    if (bytes > stub.maxBodyBytes) return { status: 413, value: { error: 'too large' } }
    if (fate === 'hang up') return null
    if (typeof fate === 'object') return { ...fate, value: { error: 'later' } }
    const first = to.rows.length + 1
    to.rows.push(...sent.records.map(({ fields }) => fields))
    const ids = sent.records.map((_, i) => ({ id: first + i }))
    const reply = { status: 200, value: { records: ids } }
    answers.set(key, reply)
    return fate === 'serve' ? reply : null
  }

  async function decide(request: IncomingMessage): Promise<Reply | null> {
    const chunks: Buffer[] = []
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
    const body = Buffer.concat(chunks)
    if (request.headers.authorization !== 'Bearer alice') {
      return { status: 401, value: { error: 'no', details: { reason: 'UNKNOWN_KEY' } } }
    }
    const { pathname } = new URL(request.url ?? '', 'http://stub')
    const sent = body.length > 0 ? (JSON.parse(body.toString()) as Sent) : undefined
    const [, tableId] = /tables\/([^/]+)\/\w/.exec(pathname) ?? []
    const table = tables.find(({ id }) => id === tableId)
    const value = look(pathname, sent, table)
    const key = String(request.headers['idempotency-key'])
    if (value === undefined && table && sent) return addRecords(key, table, sent, body.length)
    return { status: 200, value }
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const reply = await decide(request)
    if (!reply) return void request.socket.destroy()
    if (reply.retryAfter) response.setHeader('retry-after', reply.retryAfter)
    response.writeHead(reply.status).end(JSON.stringify(reply.value))
  }

  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return Object.assign(stub, {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  })
}

/** Normalises names a little, so that a test sees whether the loader uses the ids of the answer. */
function makeTable({ id, columns }: Sent['tables'][number]): StubTable {
  const taken = new Set(['id'])
  const free = (wanted: string) => {
    let colId = wanted.replace(/\W+/g, '_') || 'A'
    for (let n = 2; taken.has(colId); n++) colId = `${wanted}${n}`
    taken.add(colId)
    return colId
  }
  return {
    id: id.replace(/\W+/g, '_'),
    columns: columns.map((column) => ({ ...column, id: free(column.id ?? '') })),
    rows: [],
  }
}
