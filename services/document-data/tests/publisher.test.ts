import { randomUUID } from 'node:crypto'
import { createLogger } from '@sheaf/kit/logger'
import { connectNats } from '@sheaf/kit/nats'
import { testEngines } from '@sheaf/testkit/engines'
import { eventually } from '@sheaf/testkit/eventually'
import { ChangePublisher } from '../src/changes/publisher'
import type { DocumentStore } from '../src/store/document-store'
import type { LogEntry } from '../src/store/log'
import { readPublished } from './published-changes'

/** More than are published at the same time. */
const MANY = 100

it('documents that cannot be read hold up no other, and are tried again', async () => {
  const entry: LogEntry = { seq: 1, time: 1, user: 1, cause: 1, traceparent: '', operations: [] }
  const damaged = new Set<string>(Array.from({ length: MANY }, () => randomUUID()))
  const sound = randomUUID()
  const confirmed = new Set<string>()
  const store: Pick<
    DocumentStore,
    'onLogged' | 'listDirty' | 'nextBatch' | 'confirmPublished' | 'settle' | 'forget'
  > = {
    onLogged: () => {},
    listDirty: () => [...damaged, sound],
    nextBatch: (docId) => {
      if (damaged.has(docId)) return Promise.reject(new Error('the file is damaged'))
      return Promise.resolve(confirmed.has(docId) ? [] : [entry])
    },
    confirmPublished: (docId) => void confirmed.add(docId),
    settle: () => Promise.resolve(true),
    forget: () => {},
  }
  const { natsUrl } = testEngines()
  const log = createLogger('test')
  log.level = 'silent'
  const nats = await connectNats({ url: natsUrl, name: 'test', log })
  const limits = { days: 1, megabytes: 256, replicas: 1 }
  const options = { natsUrl, name: 'test', limits, log }
  try {
    await using publisher = new ChangePublisher(store as DocumentStore, options)
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
