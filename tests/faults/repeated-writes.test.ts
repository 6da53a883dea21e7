import { randomUUID } from 'node:crypto'
import { eventually } from '@sheaf/testkit/eventually'
import { createRest } from '@sheaf/testkit/rest'
import { startSheaf } from '@sheaf/testkit/sheaf'
import { addTable, newDocument, readRecords } from '../support/system'

/** Writes before and during an outage of document-data. */
const WRITES = 40

describe('writes with an Idempotency-Key', () => {
  it('are done once, and answered as the first time, across a kill of document-data', async () => {
    await using sheaf = await startSheaf()
    const rest = createRest(sheaf.url, sheaf.ownerKey)
    const doc = await newDocument(rest)
    await addTable(rest, doc, 'Words', { Word: 'Text' })
    const table = `${doc}/tables/Words`
    const keys = new Map(Array.from({ length: WRITES }, (_, i) => [`w${i}`, randomUUID()]))
    const write = async (Word: string) => {
      const { status, text, headers } = await rest.post(`${table}/records`, {
        body: { records: [{ fields: { Word } }] },
        headers: { 'idempotency-key': keys.get(Word) ?? '' },
      })
      return { status, text, etag: headers.get('etag') }
    }
    // Retries like a client that received `Retry-After`: a busy machine rejects some requests.
    const writeUntilTaken = (word: string) =>
      eventually(async () => {
        const reply = await write(word)
        return reply.status !== 503 && reply
      })
    const words = [...keys.keys()]
    const before = await Promise.all(words.slice(0, WRITES / 2).map(writeUntilTaken))
    expect(new Set(before.map(({ status }) => status))).toEqual(new Set([200]))
    // Some of these are interrupted; the gateway retries them itself while it can.
    const late = words.slice(WRITES / 2).map(write)
    await sheaf.restarted('document-data', await sheaf.kill('document-data'))
    const during = await Promise.all(late)
    expect(during.filter(({ status }) => status !== 200 && status !== 503)).toEqual([])
    const again = await Promise.all(words.map(writeUntilTaken))
    expect(new Set(again.map(({ status }) => status))).toEqual(new Set([200]))
    expect(again.slice(0, WRITES / 2)).toEqual(before)
    during.forEach((reply, i) => {
      if (reply.status === 200) expect(again[WRITES / 2 + i]).toEqual(reply)
    })
    const rows = await readRecords(rest, table)
    expect(rows.map(({ fields }) => fields.Word).sort()).toEqual([...words].sort())
  })
})
