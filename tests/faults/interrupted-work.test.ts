import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { eventually } from '@sheaf/testkit/eventually'
import { createRest, type Rest } from '@sheaf/testkit/rest'
import type { InstanceName } from '@sheaf/testkit/sheaf'
import { formOf } from '../support/attachments'
import { homeWorkspace, newDocument, readRecords, useOwnSystem } from '../support/system'
import { docIdOf } from './support/document-file'
import { createTimeLimit, report, roundsOf, untilRandomMoment } from './support/extent'
import { homeOf, INSTANCES, loseInstance, replicatedEnv } from './support/fault-rounds'
import { FormulaLoad } from './support/formula-load'
import { LongReads } from './support/long-reads'

/** Larger than what a gateway keeps in order to send it again. */
const UPLOAD_BYTES = 100 * 1024 * 1024
const IMPORT_ROWS = 60_000
/** Attempts of a client, each of which may meet an instance that is being replaced. */
const ATTEMPTS = 10

const system = useOwnSystem({ ownEngines: true, env: replicatedEnv })
const rest = () => createRest(system.sheaf.url, system.sheaf.ownerKey)

/** Runs a fault so many times; more in a soak. */
async function repeat(name: string, run: () => Promise<void>): Promise<void> {
  const timeIsUp = createTimeLimit()
  const count = roundsOf(1)
  for (let round = 0; round < count && !timeIsUp(); round++) {
    await run()
    await system.sheaf.ready()
    report(`${name}: ${round + 1} of ${count} rounds`)
  }
}

/** The instance that is receiving or making something which is not part of a document yet. */
async function findBusy(): Promise<InstanceName | false> {
  const { dataDir } = system.sheaf
  for (const name of INSTANCES) {
    const folder = name === INSTANCES[0] ? dataDir : join(dataDir, 'instances', name)
    const unfinished = await readdir(join(folder, 'documents', 'unfinished')).catch(() => [])
    if (unfinished.length > 0) return name
  }
  return false
}

/** Ends the instance that receives what is being sent, with its disk. */
async function loseBusy(): Promise<void> {
  const name = await eventually(findBusy, { everyMs: 5, timeoutMs: 30_000 })
  await untilRandomMoment(0, 300)
  await loseInstance(system.sheaf, name)
}

interface Sent {
  readonly status: number
  readonly body: unknown
  readonly retryAfter: number
}

/** Posts a form; a broken connection is status 0. */
async function post(path: string, form: FormData, key?: string): Promise<Sent> {
  const headers: Record<string, string> = key === undefined ? {} : { 'idempotency-key': key }
  const reply = await rest()
    .post(path, { body: form, headers })
    .catch(() => undefined)
  const retryAfter = Number(reply?.headers.get('retry-after') ?? 0)
  return { status: reply?.status ?? 0, body: reply?.body, retryAfter }
}

/** What the client of an interrupted request may be told. */
function expectHonest({ status, retryAfter }: Sent): void {
  expect([200, 503]).toContain(status)
  if (status === 503) expect(retryAfter).toBeGreaterThan(0)
}

/** Posts until it is answered 200, each time when the answer before says. */
async function postUntilDone(path: string, form: () => FormData, key: string): Promise<unknown> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const sent = await post(path, form(), key)
    expectHonest(sent)
    if (sent.status === 200) return sent.body
    await delay(sent.retryAfter * 1000)
  }
  throw new Error(`no attempt of ${ATTEMPTS} was answered`)
}

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

async function downloadDigest(client: Rest, path: string): Promise<string> {
  const { status, raw } = await client.get(path)
  return status === 200 ? sha256(raw) : `status ${status}`
}

describe('an instance that is lost with its disk', () => {
  it('while formulas are computed loses no write, and every cell is right in the end', async () => {
    await repeat('formulas', async () => {
      await using load = await FormulaLoad.start(rest())
      const goOn = async () => {
        const before = load.acknowledged
        await eventually(() => load.acknowledged > before + 5, { timeoutMs: 60_000 })
      }
      await goOn()
      // While a write is computed, and while the cells of a new column are.
      await loseInstance(system.sheaf, await homeOf(system.sheaf, docIdOf(load.paths[0] ?? '')))
      await goOn()
      await system.sheaf.ready()
      await load.addSlowColumns()
      await untilRandomMoment(0, 300)
      await loseInstance(system.sheaf, await homeOf(system.sheaf, docIdOf(load.paths[1] ?? '')))
      await goOn()
      await load.stop()
      expect(await load.findFaults()).toEqual([])
      await eventually(async () => (await load.findResultFaults()).length === 0, {
        timeoutMs: 60_000,
        everyMs: 500,
      }).catch(() => undefined)
      expect(await load.findResultFaults()).toEqual([])
    })
  })

  it('during an upload of 100 MB keeps all of it or nothing, and a repetition with its key has one effect', async () => {
    await repeat('upload', async () => {
      const client = rest()
      const doc = await newDocument(client, 'Upload')
      const path = `${doc}/attachments`
      const bytes = randomBytes(UPLOAD_BYTES)
      const digest = sha256(bytes)
      const key = randomUUID()
      const form = () => formOf([['large.bin', bytes]])
      const sent = post(path, form(), key)
      await loseBusy()
      const first = await sent
      expectHonest(first)
      const ids = (await postUntilDone(path, form, key)) as number[]
      if (first.status === 200) expect(first.body).toEqual(ids)
      expect(await postUntilDone(path, form, key)).toEqual(ids)
      const { body } = await client.get<{ records: { id: number }[] }>(path)
      expect(body.records.map(({ id }) => id)).toEqual(ids)
      expect(await downloadDigest(client, `${path}/${ids[0]}/download`)).toBe(digest)
    })
  })

  it('during an import leaves a whole document or none', async () => {
    await repeat('import', async () => {
      const client = rest()
      const path = `/api/workspaces/${await homeWorkspace(client)}/import`
      const name = `import-${randomUUID()}`
      const rows = Array.from({ length: IMPORT_ROWS }, (_, id) => `${id},text ${id}`)
      const form = () => formOf([[`${name}.csv`, `Number,Word\n${rows.join('\n')}\n`]])
      const sent = post(path, form())
      await loseBusy()
      const answers = [await sent]
      for (let attempt = 0; answers.at(-1)?.status !== 200 && attempt < ATTEMPTS; attempt++) {
        await delay((answers.at(-1)?.retryAfter ?? 0) * 1000)
        answers.push(await post(path, form()))
      }
      answers.forEach(expectHonest)
      expect(answers.at(-1)?.status).toBe(200)
      const { body: workspaces } = await client.get<Workspace[]>('/api/orgs/current/workspaces')
      const made = workspaces.flatMap(({ docs }) => docs).filter((doc) => doc.name === name)
      const answered = answers.filter(({ status }) => status === 200).length
      expect(made.length).toBeGreaterThanOrEqual(answered)
      expect(made.length).toBeLessThanOrEqual(answers.length)
      for (const { id } of made) {
        const [table] = (await client.get<Tables>(`/api/docs/${id}/tables`)).body.tables
        const found = await readRecords(client, `/api/docs/${id}/tables/${table?.id}`)
        expect([found.length, found.at(-1)?.fields]).toEqual([
          IMPORT_ROWS,
          { Number: IMPORT_ROWS - 1, Word: `text ${IMPORT_ROWS - 1}` },
        ])
      }
    })
  })

  it('during an import into a document adds its rows once, for one Idempotency-Key', async () => {
    await repeat('import into a document', async () => {
      const client = rest()
      const doc = await newDocument(client, 'Into')
      const path = `${doc}/import`
      const rows = Array.from({ length: IMPORT_ROWS }, (_, id) => `${id}`)
      const key = randomUUID()
      const form = () => formOf([['Rows.csv', `Number\n${rows.join('\n')}\n`]])
      const sent = post(path, form(), key)
      await loseBusy()
      const first = await sent
      expectHonest(first)
      const done = await postUntilDone(path, form, key)
      expect(done).toMatchObject({ tables: [{ id: 'Rows', rows: IMPORT_ROWS }] })
      if (first.status === 200) expect(first.body).toEqual(done)
      expect(await postUntilDone(path, form, key)).toEqual(done)
      const { tables } = (await client.get<Tables>(`${doc}/tables`)).body
      expect(tables.map(({ id }) => id)).toEqual(['Table1', 'Rows'])
      expect(await readRecords(client, `${doc}/tables/Rows`)).toHaveLength(IMPORT_ROWS)
    })
  })

  it('during long reads breaks their connections off, and no reader takes a part for the whole', async () => {
    await repeat('long reads', async () => {
      const doc = await newDocument(rest(), 'Long')
      const reads = await LongReads.prepare(system.sheaf, doc)
      const held = await reads.holdAll()
      await loseInstance(system.sheaf, await homeOf(system.sheaf, docIdOf(doc)))
      const outcomes = await reads.finishAll(held)
      expect(outcomes.filter(({ outcome }) => outcome === 'truncated')).toEqual([])
      // What the buffers on the way did not hold.
      expect(outcomes.filter(({ outcome }) => outcome === 'broken')).not.toEqual([])
      const again = await reads.finishAll(await reads.holdAll())
      expect(again.filter(({ outcome }) => outcome !== 'whole')).toEqual([])
    })
  })
})

interface Workspace {
  readonly docs: readonly { readonly id: string; readonly name: string }[]
}

interface Tables {
  readonly tables: readonly { readonly id: string }[]
}
