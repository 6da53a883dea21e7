import fc from 'fast-check'
import { addRecords, newDocument, useSystem } from '../support/system'
import { vocabulary } from './bodies'
import { readState } from './document-state'
import { readOperations, type Operations } from './operations'
import { createRequests, type FuzzRequest } from './requests'
import { createSender, type Outcome, type Sender } from './send'

// SHEAF_FUZZ_SECONDS makes it longer; a longer one begins somewhere else each time, unless SHEAF_FUZZ_SEED says where.
const seconds = Number(process.env.SHEAF_FUZZ_SECONDS ?? 20)
const isLong = process.env.SHEAF_FUZZ_SECONDS !== undefined
const seed = Number(process.env.SHEAF_FUZZ_SEED ?? (isLong ? Date.now() % 2 ** 31 : 1))
const path = process.env.SHEAF_FUZZ_PATH

const system = useSystem()
let described: Operations
let sender: Sender

beforeAll(async () => {
  described = await readOperations(system.alice.rest)
  sender = createSender(system.sheaf.url, system.sheaf.ownerKey)
})
afterAll(() => sender[Symbol.dispose]())

/** A document with a column of every type, and a few rows. */
async function plant(): Promise<string> {
  const { rest } = system.alice
  const doc = await newDocument(rest)
  const column = (id: string, type: string) => ({ id, fields: { type, label: id } })
  const { columns, types } = vocabulary
  const plants = columns.map((id, i) => column(id, types[i] ?? 'Any'))
  const tables = [
    { id: 'Beds', columns: [column('Name', 'Text')] },
    { id: 'Plants', columns: plants },
  ]
  await rest.post(`${doc}/tables`, { body: { tables } })
  await addRecords(rest, `${doc}/tables/Beds`, [{ Name: 'south' }, { Name: 'pond' }])
  await addRecords(rest, `${doc}/tables/Plants`, [
    { Name: 'Rose', Height: 1.5, Count: 3, Hardy: true, Tags: ['L', 'a'], Bed: 1 },
    { Name: 'Fern', Height: 0.5, Sown: 1709164800, Also: ['L', 1] },
    { Name: 'Ivy' },
  ])
  return doc
}

/** What an answer must never show: where the code is, and how it asks its database. */
const innards = [
  /\n\s+at /,
  /\.[jt]s:\d+/,
  /node_modules|better-sqlite|@grpc/,
  /Cannot read prop|is not a function|is not iterable|Maximum call stack|\[object Object\]/,
  /SQLITE|SqliteError|no such (table|column|function)|constraint failed|near ".*": syntax/,
  /\b(SELECT|INSERT INTO|DELETE FROM|UPDATE "|CREATE TABLE|json_object)\b/,
]

/** Whose own SQL is wrong is told so in SQLite's words. */
const takesSql = /^\/api\/docs\/\{docId\}\/sql\b/

/** Everything that is wrong with an answer; nothing when it is well. */
function findFaults(request: FuzzRequest, outcome: Outcome): string[] {
  if (outcome.kind === 'cut') return []
  const { status, type, text } = outcome
  if (status >= 500) return [`answered ${status}: ${text}`]
  if (status < 400 || request.method === 'HEAD') return []
  const error = readError(type, text)
  if (!error) return [`answered ${status} without an error text: ${text}`]
  if (takesSql.test(request.path)) return []
  return innards.filter((sign) => sign.test(text)).map((sign) => `shows ${sign}: ${text}`)
}

function readError(type: string, text: string): string {
  if (!type.startsWith('application/json')) return ''
  const { error } = JSON.parse(text) as { error?: unknown }
  return typeof error === 'string' ? error : ''
}

/** A request as a person can read it, and send it again. */
function show({ method, path: target, headers, body, cutAt }: FuzzRequest): string {
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  const cut = cutAt === undefined ? [] : [`(cut after ${cutAt} bytes)`]
  return [`${method} ${target}`, ...head, body?.toString().slice(0, 3_000) ?? '', ...cut].join('\n')
}

/** Whether the document must be as it was. */
const changesNothing = ({ method }: FuzzRequest, outcome: Outcome) =>
  outcome.kind === 'cut' || outcome.status >= 400 || ['GET', 'HEAD'].includes(method)

async function exercise(requests: readonly FuzzRequest[], seen: Map<string, number>) {
  const { rest } = system.alice
  const doc = await plant()
  let before = await readState(rest, doc)
  for (const request of requests) {
    const outcome = await sender.send(request, doc.replace('/api/docs/', ''))
    const kind = outcome.kind === 'cut' ? 'cut' : outcome.status < 400 ? 'taken' : 'refused'
    seen.set(kind, (seen.get(kind) ?? 0) + 1)
    const sent = show(request)
    expect({ sent, faults: findFaults(request, outcome) }).toEqual({ sent, faults: [] })
    // Also after a change: whatever was taken, the document can still be read.
    const after = await readState(rest, doc)
    if (changesNothing(request, outcome)) expect({ sent, after }).toEqual({ sent, after: before })
    before = after
  }
}

describe('the routes of what is inside a document', () => {
  it('are found in what the server says of itself', () => {
    const found = described.operations.map(({ method, path }) => `${method} ${path}`)
    const table = '/api/docs/{docId}/tables/{tableId}'
    expect(found).toEqual(
      expect.arrayContaining([
        'POST /api/docs/{docId}/tables',
        `POST ${table}/columns`,
        `PATCH ${table}/records`,
        `POST ${table}/data/delete`,
      ]),
    )
  })

  it(
    'take or refuse whatever is sent: no 5xx, no hang, no innards, and a refusal changes nothing',
    async () => {
      const seen = new Map<string, number>()
      const requests = fc.array(createRequests(described), { minLength: 1, maxLength: 12 })
      const pids = await system.sheaf.pids()
      await fc.assert(
        fc.asyncProperty(requests, (sent) => exercise(sent, seen)),
        {
          seed,
          path,
          numRuns: isLong ? Number.MAX_SAFE_INTEGER : 250,
          interruptAfterTimeLimit: seconds * 1000,
        },
      )
      // Both happen often, or the requests prove nothing; and no process has died of any of them.
      expect(seen.get('taken')).toBeGreaterThan(10)
      expect(seen.get('refused')).toBeGreaterThan(10)
      expect(await system.sheaf.pids()).toEqual(pids)
    },
    (seconds + 120) * 1000,
  )
})
