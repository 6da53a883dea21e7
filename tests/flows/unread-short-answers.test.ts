import { eventually } from '@sheaf/testkit/eventually'
import { addRecords, addTable, newDocument, readRecords, useOwnSystem } from '../support/system'
import { MemoryWatch, UnreadResponse } from '../support/unread-response'

const READS = 1_000
/** Connections of another user. */
const OTHERS = 16
const MB = 1e6
/** Just under 1 MB, which is sent whole. */
const rows = Array.from({ length: 47 }, () => ({ Text: 'x'.repeat(20_000) }))

const system = useOwnSystem()

/** Makes public documents with a table of nearly 1 MB; returns the paths of the tables. */
async function createTables(): Promise<string[]> {
  const { rest } = system.alice
  const tables: string[] = []
  for (let number = 0; number < 4; number++) {
    const doc = await newDocument(rest)
    const table = `${doc}/tables/${await addTable(rest, doc, 'Few', { Text: 'Text' })}`
    await addRecords(rest, table, rows)
    const delta = { users: { 'everyone@getgrist.com': 'viewers' } }
    expect((await rest.patch(`${doc}/access`, { body: { delta } })).status).toBe(200)
    tables.push(table)
  }
  return tables
}

/** Reads a table over several connections until told to stop; returns the number of reads. */
async function readUntil(isOver: (count: number) => boolean, table: string): Promise<number> {
  let count = 0
  const read = async () => {
    while (!isOver(count)) {
      expect(await readRecords(system.dan.rest, table)).toHaveLength(1)
      count++
    }
  }
  await Promise.all(Array.from({ length: OTHERS }, read))
  return count
}

describe('1,000 answers of nearly 1 MB that nobody reads', () => {
  it('take little memory, and do not shut others out meanwhile', async () => {
    const { sheaf, dan } = system
    const people = await Promise.all(
      ['bob', 'carol', 'eve', 'frank'].map((name) => sheaf.createUser(`${name}@example.com`, name)),
    )
    const tables = await createTables()
    const doc = await newDocument(dan.rest)
    const own = `${doc}/tables/${await addTable(dan.rest, doc, 'Own', { A: 'Text' })}`
    await addRecords(dan.rest, own, [{ A: 'x' }])
    const memory = new MemoryWatch(await sheaf.pids())

    const unread = Array.from({ length: READS }, (_, index) => {
      const path = `${tables[index % tables.length]}/records`
      const { key } = people[Math.floor(index / tables.length) % people.length] ?? {}
      return new UnreadResponse(sheaf.url, path, key)
    })
    try {
      let most = Infinity
      // Beside answers that nobody has read, however fast this process saw them arrive.
      const reads = readUntil((count) => count > most, own)
      await eventually(
        async () => {
          await memory.look()
          return unread.every(({ status }) => status > 0)
        },
        { timeoutMs: 60_000 },
      )
      const statuses = unread.map(({ status }) => status)
      const answered = statuses.filter((status) => status === 200).length
      most = answered
      expect(answered).toBeGreaterThan(50)
      expect(new Set([200, 429, 503, ...statuses])).toEqual(new Set([200, 429, 503]))
      expect(memory.highest.gateway).toBeLessThan(250 * MB)
      expect(memory.highest['document-data']).toBeLessThan(500 * MB)
      expect(await reads).toBeGreaterThan(answered)
    } finally {
      for (const response of unread) response[Symbol.dispose]()
    }
  })
})
