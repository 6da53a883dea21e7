import { readFile } from 'node:fs/promises'
import { eventually } from '@sheaf/testkit/eventually'
import type { RestReply } from '@sheaf/testkit/rest'
import { startSheaf, type RunningSheaf } from '@sheaf/testkit/sheaf'
import { createRest } from '@sheaf/testkit/rest'
import { addRecords, addTable, newDocument, readRecords } from '../support/system'

const WRITERS = 500
const MIB = 1024 * 1024
/** Far more than an idle process needs, and far less than one that buffers everything it receives. */
const MOST_MEMORY = 700 * MIB

/** Resident memory of a process, in bytes. */
async function memoryOf(pid = 0): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) * 1024
}

/** True when the reply is permitted under overload. */
function isSane({ status, headers }: RestReply): boolean {
  return status === 200 || ([429, 503].includes(status) && Number(headers.get('retry-after')) > 0)
}

describe('overload', () => {
  let sheaf: RunningSheaf
  let rest: ReturnType<typeof createRest>
  beforeAll(async () => {
    // Small limits, so that a test can exceed them.
    const env = { SHEAF_PENDING_WRITES: '40', SHEAF_PENDING_READS: '2' }
    sheaf = await startSheaf({ env })
    rest = createRest(sheaf.url, sheaf.ownerKey)
  })
  afterAll(() => sheaf[Symbol.asyncDispose]())

  it('of one document refuses some of its writes, loses none, and leaves the others alone', async () => {
    const [busy, calm] = [await newDocument(rest), await newDocument(rest)]
    const table = `${busy}/tables/${await addTable(rest, busy, 'T', { A: 'Text' })}`
    const other = `${calm}/tables/${await addTable(rest, calm, 'T', { A: 'Text' })}`
    await addRecords(rest, other, [{ A: 'calm' }])
    let running = true
    let calmReads = 0
    const read = async () => {
      while (running) {
        expect(await readRecords(rest, other)).toHaveLength(1)
        calmReads++
      }
    }
    const write = async (writer: number) => {
      const sent: { text: string; reply: RestReply }[] = []
      for (let turn = 0; turn < 3; turn++) {
        const text = `${writer}-${turn}-${'x'.repeat(2000)}`
        const body = { records: [{ fields: { A: text } }] }
        sent.push({ text, reply: await rest.post(`${table}/records`, { body }) })
      }
      return sent
    }
    // Blocked until all writers have sent something, so that the limit is exceeded on any machine.
    await sheaf.kill('document-data', 'SIGSTOP')
    const writing = Promise.all(Array.from({ length: WRITERS }, (_, i) => write(i)))
    await rest.get('/api/orgs')
    await sheaf.kill('document-data', 'SIGCONT')
    const reading = read()
    const writes = (await writing).flat()
    running = false
    await reading

    expect(writes.filter(({ reply }) => !isSane(reply)).map(({ reply }) => reply.text)).toEqual([])
    const done = writes.filter(({ reply }) => reply.status === 200).map(({ text }) => text)
    expect(done.length).toBeGreaterThan(0)
    expect(done.length).toBeLessThan(writes.length)
    expect(calmReads).toBeGreaterThan(0)
    const found = (await readRecords(rest, table)).map(({ fields }) => fields.A)
    expect(found.sort()).toEqual(done.sort())
    const pids = await sheaf.pids()
    for (const pid of [pids.gateway, pids['document-data']])
      expect(await memoryOf(pid)).toBeLessThan(MOST_MEMORY)
  })

  it('ends with the clients: one that leaves a long read makes room for another', async () => {
    const doc = await newDocument(rest)
    const table = `${doc}/tables/${await addTable(rest, doc, 'T', { A: 'Text' })}`
    const rows = Array.from({ length: 20_000 }, () => ({ A: 'x'.repeat(1000) }))
    await addRecords(rest, table, rows)
    const small = () => rest.get(`${table}/records`, { query: { limit: 1 } })
    const gone = new AbortController()
    const headers = { authorization: `Bearer ${sheaf.ownerKey}` }
    // The body is not consumed, so the read is paused.
    const long = await fetch(`${sheaf.url}${table}/records`, { headers, signal: gone.signal })
    expect(long.status).toBe(200)
    const refused = await small()
    expect(refused).toMatchObject({ status: 429, body: { details: { reason: 'DOCUMENT_BUSY' } } })
    expect(isSane(refused)).toBe(true)
    gone.abort()
    await eventually(async () => (await small()).status === 200)
  })

  it('does not run a write that waited when its client left', async () => {
    const doc = await newDocument(rest)
    const table = `${doc}/tables/${await addTable(rest, doc, 'T', { A: 'Text' })}`
    await sheaf.kill('document-data', 'SIGSTOP')
    const gone = new AbortController()
    const headers = { 'x-request-id': 'the-one-that-left' }
    const body = { records: [{ fields: { A: 'gone' } }] }
    const write = rest.post(`${table}/records`, { body, headers, signal: gone.signal })
    const left = expect(write).rejects.toBeDefined()
    // Ensures that the write is in flight: a later request has been answered.
    await rest.get('/api/orgs')
    gone.abort()
    await left
    await eventually(() => /the-one-that-left.*"status":499/.test(sheaf.output()))
    await sheaf.kill('document-data', 'SIGCONT')
    expect(await readRecords(rest, table)).toEqual([])
    await addRecords(rest, table, [{ A: 'later' }])
    expect((await readRecords(rest, table)).map(({ fields }) => fields.A)).toEqual(['later'])
  })
})
