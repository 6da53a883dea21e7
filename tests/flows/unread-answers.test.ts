import { eventually } from '@sheaf/testkit/eventually'
import {
  addRecords,
  addTable,
  homeWorkspace,
  newDocument,
  readRecords,
  useOwnSystem,
} from '../support/system'
import { MemoryWatch, UnreadResponse } from '../support/unread-response'

const READS = 200
const MB = 1e6
/** Tables of 34 MB: one of many rows, and one of so few rows that short ones would be read at once. */
const tables = [
  { id: 'Many', rows: 34_000, cell: 'x'.repeat(1_000) },
  { id: 'Wide', rows: 1_400, cell: 'x'.repeat(24_000) },
]
/** The limit of one document alone must not be what keeps the memory low. */
const DOCUMENTS = 4

const system = useOwnSystem()

/** Makes public documents with the tables; returns their paths. */
async function createDocuments(): Promise<string[]> {
  const { rest } = system.alice
  const first = await newDocument(rest)
  for (const { id, rows, cell } of tables) {
    const table = `${first}/tables/${await addTable(rest, first, id, { Text: 'Text' })}`
    const batch = Array.from({ length: rows / 20 }, () => ({ Text: cell }))
    for (let count = 0; count < rows; count += batch.length) await addRecords(rest, table, batch)
  }
  const workspaceId = await homeWorkspace(rest)
  const documents = [first]
  for (let number = 1; number < DOCUMENTS; number++) {
    const body = { workspaceId, documentName: `Copy ${number}` }
    documents.push(`/api/docs/${(await rest.post<string>(`${first}/copy`, { body })).body}`)
  }
  for (const doc of documents) {
    const delta = { users: { 'everyone@getgrist.com': 'viewers' } }
    expect((await rest.patch(`${doc}/access`, { body: { delta } })).status).toBe(200)
  }
  return documents
}

/** Requests the tables of all documents in turn, each for the next of these callers. */
function startReads(documents: string[], keys: (string | undefined)[]): UnreadResponse[] {
  const targets = tables.flatMap(({ id }) => documents.map((doc) => `${doc}/tables/${id}/records`))
  return Array.from({ length: READS }, (_, index) => {
    const path = targets[Math.floor(index / keys.length) % targets.length] ?? ''
    return new UnreadResponse(system.sheaf.url, path, keys[index % keys.length])
  })
}

describe('200 long answers that nobody reads', () => {
  it('take little memory, leave room for others, and end after 30 s', async () => {
    const { sheaf, dan } = system
    const people = await Promise.all(
      ['bob', 'carol', 'eve'].map((name) => sheaf.createUser(`${name}@example.com`, name)),
    )
    const documents = await createDocuments()
    const doc = await newDocument(dan.rest)
    const own = `${doc}/tables/${await addTable(dan.rest, doc, 'Own', { A: 'Text' })}`
    const memory = new MemoryWatch(await sheaf.pids())

    const unread = startReads(documents, [undefined, ...people.map(({ key }) => key)])
    await eventually(async () => {
      await memory.look()
      return unread.every(({ status }) => status > 0)
    })
    const running = unread.filter(({ status }) => status === 200).length
    expect(running).toBeGreaterThan(30)
    expect(new Set(unread.map(({ status }) => status))).toEqual(new Set([200, 429]))
    for (let count = 1; count <= 200; count++) {
      await addRecords(dan.rest, own, [{ A: 'x' }])
      expect(await readRecords(dan.rest, own)).toHaveLength(count)
      await memory.look()
    }
    expect(memory.highest.gateway).toBeLessThan(250 * MB)
    expect(memory.highest['document-data']).toBeLessThan(500 * MB)

    // Their slots are free when they have ended.
    await eventually(
      async () => {
        const path = `${documents[0]}/tables/Many/records`
        return (await system.anonymous.get(path)).status === 200
      },
      { timeoutMs: 60_000, everyMs: 500 },
    )
    for (const response of unread) response.discard()
    await eventually(() => unread.every(({ isClosed }) => isClosed))
  })
})
