import { createRest, type Rest } from '@sheaf/testkit/rest'
import {
  startSheaf,
  type RunningSheaf,
  type ServiceName,
  type SheafOptions,
} from '@sheaf/testkit/sheaf'
import { tempDir } from '@sheaf/testkit/temp-dir'
import { addTable, newDocument, readRecords } from '../support/system'

/** Adds rows one by one until stopped; records those acknowledged with 200. */
function keepAdding(
  rest: Rest,
  table: string,
): { stop(): Promise<Map<number, string>>; statuses: Set<number> } {
  const acknowledged = new Map<number, string>()
  const statuses = new Set<number>()
  let running = true
  const client = async (name: string) => {
    for (let count = 0; running; count++) {
      const Word = `${name}-${count}`
      const body = { records: [{ fields: { Word } }] }
      const added = await rest
        .post<{ records: { id: number }[] }>(`${table}/records`, { body })
        .catch(() => undefined)
      if (added === undefined) continue
      statuses.add(added.status)
      if (added.status === 200) acknowledged.set(added.body.records[0]?.id ?? 0, Word)
    }
  }
  const clients = Promise.all(['a', 'b', 'c', 'd'].map(client))
  return {
    statuses,
    async stop() {
      running = false
      await clients
      return acknowledged
    },
  }
}

/** Runs with a Sheaf that is stopped before this returns. */
async function inSheaf<T>(
  options: SheafOptions,
  run: (sheaf: RunningSheaf) => Promise<T>,
): Promise<T> {
  await using sheaf = await startSheaf(options)
  return await run(sheaf)
}

describe('a service that is killed', () => {
  it.each<ServiceName>(['document-data', 'directory', 'gateway', 'webhook'])(
    'comes back by itself, and nothing that was answered is lost: %s',
    async (service) => {
      await using sheaf = await startSheaf()
      const rest = createRest(sheaf.url, sheaf.ownerKey)
      const doc = await newDocument(rest)
      await addTable(rest, doc, 'Words', { Word: 'Text' })
      const table = `${doc}/tables/Words`
      const adding = keepAdding(rest, table)
      await sheaf.restarted(service, await sheaf.kill(service))
      const acknowledged = await adding.stop()
      expect([...adding.statuses].filter((status) => ![200, 503, 504].includes(status))).toEqual([])
      const rows = new Map(
        (await readRecords(rest, table)).map(({ id, fields }) => [id, fields.Word]),
      )
      expect(acknowledged.size).toBeGreaterThan(0)
      for (const [id, word] of acknowledged) expect(rows.get(id)).toBe(word)
      const words = [...rows.values()]
      expect(new Set(words).size).toBe(words.length)
    },
  )
})

describe('a second start on the same data', () => {
  it('goes on where the first one stopped, with the same key', async () => {
    await using folder = await tempDir()
    const kept = { ownEngines: true, dataDir: folder.path }
    const { doc, ownerKey } = await inSheaf(kept, async (sheaf) => {
      const rest = createRest(sheaf.url, sheaf.ownerKey)
      const path = await newDocument(rest, 'Kept')
      await rest.post(`${path}/tables/Table1/records`, {
        body: { records: [{ fields: { A: 'still here' } }] },
      })
      return { doc: path, ownerKey: sheaf.ownerKey }
    })
    await inSheaf({ ...kept, ownerKey }, async (sheaf) => {
      const rest = createRest(sheaf.url, ownerKey)
      expect((await rest.get(doc)).body).toMatchObject({ name: 'Kept' })
      expect((await readRecords(rest, `${doc}/tables/Table1`))[0]?.fields.A).toBe('still here')
      expect(sheaf.output()).not.toContain('shf_')
    })
  })
})
