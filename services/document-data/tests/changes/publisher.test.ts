import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { jetstreamManager } from '@nats-io/jetstream'
import { startEngines } from '@sheaf/engines/engines'
import { createLogger } from '@sheaf/kit/logger'
import { connectNats } from '@sheaf/kit/nats'
import { testEngines } from '@sheaf/testkit/engines'
import { eventually } from '@sheaf/testkit/eventually'
import { tempDir } from '@sheaf/testkit/temp-dir'
import { ChangePublisher } from '../../src/changes/publisher'
import { ensureChangeStream } from '../../src/changes/stream'
import type { DocumentStore } from '../../src/store/documents/document-store'
import type { PublishingPort } from '../../src/store/documents/publishing-port'
import type { LogEntry } from '../../src/store/log/log'
import { writeRestored } from '../../src/store/documents/restored-file'
import { readPublished } from '../support/published-changes'
import { author, openStore } from '../support/test-store'

/** More than are published at the same time. */
const MANY = 100

it('documents that cannot be read hold up no other, and are tried again', async () => {
  const head = { seq: 1, time: 1, user: 1, keyId: 0, cause: 1, traceparent: '' }
  const entry: LogEntry = { ...head, operations: [] }
  const damaged = new Set<string>(Array.from({ length: MANY }, () => randomUUID()))
  const sound = randomUUID()
  const confirmed = new Set<string>()
  const port = fakePort({
    listUnpublished: () => Promise.resolve([...damaged, sound]),
    nextBatch: (docId) => {
      if (damaged.has(docId)) return Promise.reject(new Error('the file is damaged'))
      return Promise.resolve(confirmed.has(docId) ? [] : [entry])
    },
    confirmPublished: (docId) => void confirmed.add(docId),
  })
  const { natsUrl } = testEngines()
  const log = silentLog()
  const nats = await connectNats({ url: natsUrl, name: 'test', log })
  const limits = { days: 1, megabytes: 256, replicas: 1 }
  const options = { natsUrl, name: 'test', limits, log }
  try {
    await using publisher = new ChangePublisher(port, options)
    publisher.start(() => {})
    await eventually(async () => (await readPublished(nats, sound)).events.length === 1)
    await eventually(() => expect(publisher.backlog).toBe(MANY))
    const [mended = ''] = damaged
    damaged.delete(mended)
    await eventually(() => confirmed.has(mended))
    expect(publisher.backlog).toBe(MANY - 1)
  } finally {
    await nats.close()
  }
})

it('what a restored document writes under numbers of the lost one is published like any other', async () => {
  await using folder = await tempDir()
  const { natsUrl } = testEngines()
  const log = createLogger('test')
  const nats = await connectNats({ url: natsUrl, name: 'test', log })
  const limits = { days: 1, megabytes: 256, replicas: 1 }
  const docId = randomUUID()
  const publishedBy = async () =>
    (await readPublished(nats, docId)).events.map(({ seq, userId }) => [seq, userId])
  const write = (store: DocumentStore, userId: number) =>
    store.transact(docId, { ...author, userId }, (doc) =>
      doc.record({ kind: 'add_rows', table: 'Table1', tableRef: 1, rowIds: [1], columns: [] }),
    )
  const runIn = async (name: string, work: (store: DocumentStore) => Promise<unknown>) => {
    await using store = await openStore(join(folder.path, name), { workers: 0 })
    await using publisher = new ChangePublisher(store.publishing, { natsUrl, name, limits, log })
    publisher.start(() => {})
    await work(store)
    await eventually(() => publisher.backlog === 0)
  }
  try {
    let backup = Buffer.alloc(0)
    await runIn('lost', async (store) => {
      await store.lifeCycle.create(docId, { timezone: 'UTC', locale: 'en-US' }, author)
      const file = join(folder.path, 'lost', docId.slice(0, 2), docId, 'document.sqlite')
      backup = await readFile(file)
      await write(store, 7)
    })
    expect(await publishedBy()).toEqual([
      [1, author.userId],
      [2, 7],
    ])
    await runIn('restored', async (store) => {
      await store.lifeCycle.createFrom(docId, async (path) => {
        await writeRestored(path, chunksOf(backup))
        return undefined
      })
      await write(store, 8)
    })
    expect((await publishedBy()).slice(2)).toEqual([[2, 8]])
    expect((await readPublished(nats, docId)).epochs.size).toBe(2)
  } finally {
    await nats.close()
  }
})

async function* chunksOf(bytes: Buffer): AsyncGenerator<Uint8Array> {
  yield bytes
}

describe('the change stream', () => {
  const normal = { days: 1, megabytes: 256, replicas: 1 }

  it('is smaller than configured when NATS has too little storage, rather than missing', async () => {
    await using folder = await tempDir()
    // A NATS of its own: the stream of the shared one belongs to other tests as well.
    await using engines = await startEngines({
      dataDir: folder.path,
      databaseUrl: testEngines().databaseUrl,
      path: process.env.PATH,
      log: () => {},
    })
    const nats = await connectNats({ url: engines.natsUrl, name: 'test', log: silentLog() })
    try {
      const petabyte = 1024 ** 3
      const megabytes = await ensureChangeStream(nats, { ...normal, megabytes: petabyte })
      expect(megabytes).toBeLessThan(petabyte)
      expect(megabytes).toBeGreaterThanOrEqual(normal.megabytes)
      const { config } = await (await jetstreamManager(nats)).streams.info('SHEAF_CHANGES')
      expect(config.max_bytes).toBe(megabytes * 1024 ** 2)
    } finally {
      expect(await ensureChangeStream(nats, normal)).toBe(normal.megabytes)
      await nats.close()
    }
  })

  it('exists as soon as document-data reports NATS as ready, and not before', async () => {
    const limits = { ...normal, days: 1e-9 } // less than NATS accepts
    const options = { natsUrl: testEngines().natsUrl, name: 'test', limits, log: silentLog() }
    await using publisher = new ChangePublisher(fakePort({}), options)
    const reports: boolean[] = []
    const failed = new Promise((resolve) => {
      jest.spyOn(options.log, 'error').mockImplementation(resolve)
    })
    publisher.start((connected) => reports.push(connected))
    await failed

    expect(reports).toEqual([])
  })
})

/** A store without documents, except for what `given` says. */
function fakePort(given: Partial<PublishingPort>): PublishingPort {
  const empty: Partial<PublishingPort> = {
    onLogged: () => {},
    listUnpublished: () => Promise.resolve([]),
    nextBatch: () => Promise.resolve([]),
    epochOf: () => 'epoch',
    confirmPublished: () => {},
    settle: () => Promise.resolve(true),
    forget: () => {},
  }
  return { ...empty, ...given } as PublishingPort
}

function silentLog() {
  const log = createLogger('test')
  log.level = 'silent'
  return log
}
