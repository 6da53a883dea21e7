import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { createLogger } from '@sheaf/kit/logger'
import { connectNats } from '@sheaf/kit/nats'
import { testEngines } from '@sheaf/testkit/engines'
import { eventually } from '@sheaf/testkit/eventually'
import { tempDir } from '@sheaf/testkit/temp-dir'
import { createTokenAuthority, type TokenAuthority } from '@sheaf/testkit/token-authority'
import Database from 'better-sqlite3'
import { readPublished } from '../support/published-changes'
import { startStandInDirectory, type StandInDirectory } from '../support/stand-in-directory'
import { HOME, TestClients } from '../support/test-instance'

const ROUNDS = 6
const WRITERS = 8
/** Rows of one write: a write that is half there shows as a group of another size. */
const GROUP = 3

const root = join(__dirname, '../../../..')
const SERVICE_KEY = 'durability-test'

describe('durability', () => {
  let directory: StandInDirectory
  let authority: TokenAuthority
  beforeAll(async () => {
    const tsc = join(root, 'node_modules/typescript-7/bin/tsc')
    execFileSync(process.execPath, [tsc, '-b', 'services/document-data'], { cwd: root })
    authority = await createTokenAuthority()
    directory = await startStandInDirectory(authority, HOME)
  })
  const children: ChildProcess[] = []
  afterAll(async () => {
    for (const child of children) child.kill('SIGKILL')
    await directory[Symbol.asyncDispose]()
  })

  const startProcess = async (
    folder: string,
  ): Promise<{ child: ChildProcess; address: string }> => {
    const { reports } = directory
    const seen = reports.length
    const child = spawn(process.execPath, [join(root, 'services/document-data/dist/main.js')], {
      env: {
        PATH: process.env.PATH,
        SHEAF_DOCUMENT_DATA_LISTEN: '127.0.0.1:0',
        SHEAF_INSTANCE_NAME: HOME,
        SHEAF_DATA: folder,
        SHEAF_DIRECTORY_ADDRESS: directory.address,
        SHEAF_SERVICE_KEY: SERVICE_KEY,
        SHEAF_LOG_LEVEL: 'error',
        NATS_URL: testEngines().natsUrl,
      },
      stdio: ['ignore', 'inherit', 'inherit'],
    })
    children.push(child)
    const { address } = await eventually(() => reports[seen] ?? false, { timeoutMs: 60_000 })
    return { child, address }
  }

  it('keeps every acknowledged write once and whole, and publishes every change, through kills', async () => {
    await using folder = await tempDir()
    const log = createLogger('test')
    const acknowledged = new Map<string, { seq: number; rowIds: number[] }>()
    const sent = new Set<string>()
    const docIds: string[] = []
    let unanswered = 0
    for (let round = 0; round < ROUNDS; round++) {
      const { child, address } = await startProcess(folder.path)
      await using clients = new TestClients(address, authority)
      if (round < 2) docIds.push(await clients.createDocument())
      let killed = false
      const writer = async (id: number) => {
        for (let n = 0; !killed; n++) {
          const docId = docIds[(id + n) % docIds.length] ?? ''
          const name = `${docId}/${round}/${id}/${n}`
          sent.add(name)
          const rows = Array.from({ length: GROUP }, () => ({ fields: { A: name } }))
          const bodyJson = Buffer.from(JSON.stringify({ records: rows }))
          const call = await clients.as(docId, 'editors')
          try {
            const request = { docId, tableId: 'Table1', bodyJson, noParse: false, form: 0 }
            acknowledged.set(name, await clients.records.addRecords(request, call))
          } catch {
            unanswered++
            return
          }
        }
      }
      const writing = Promise.all(Array.from({ length: WRITERS }, (_, id) => writer(id)))
      await delay(100 + Math.random() * 700)
      child.kill('SIGKILL')
      killed = true
      await once(child, 'exit')
      await writing
    }
    expect(acknowledged.size).toBeGreaterThan(50)
    expect(unanswered).toBeGreaterThan(0)

    // Nobody opens the documents after the last start: what is published then came from the marks alone.
    const { child } = await startProcess(folder.path)
    const nats = await connectNats({ url: testEngines().natsUrl, name: 'test', log })
    try {
      for (const docId of docIds) {
        const path = join(folder.path, 'documents', docId.slice(0, 2), docId, 'document.sqlite')
        const db = new Database(path, { readonly: true })
        const rows = db.prepare('SELECT id, A FROM Table1 ORDER BY id').all() as {
          id: number
          A: string
        }[]
        const seqs = db.prepare('SELECT seq FROM _sheaf_log ORDER BY seq').pluck().all()
        expect(db.pragma('integrity_check', { simple: true })).toBe('ok')
        db.close()

        const groups = new Map<string, number[]>()
        for (const { id, A } of rows) groups.set(A, [...(groups.get(A) ?? []), id])
        for (const [name, ids] of groups) {
          expect(sent.has(name)).toBe(true)
          expect(ids).toHaveLength(GROUP)
        }
        const mine = [...acknowledged].filter(([name]) => name.startsWith(docId))
        for (const [name, { rowIds }] of mine) expect(groups.get(name)).toEqual(rowIds)
        expect(seqs).toEqual(seqs.map((_, index) => index + 1))
        // The first entry made the document; every other one is one write.
        expect(seqs).toHaveLength(groups.size + 1)

        const events = await eventually(async () => {
          const published = await readPublished(nats, docId)
          return new Set(published.events.map(({ seq }) => seq)).size === seqs.length
            ? published.events
            : false
        })
        const order = events.map(({ seq }) => seq).filter((seq, i, all) => all.indexOf(seq) === i)
        expect(order).toEqual(seqs)
      }
    } finally {
      child.kill('SIGTERM')
      await once(child, 'exit')
      await nats.close()
    }
    expect(child.exitCode).toBe(0)
  })
})
