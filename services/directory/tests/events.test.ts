import { DeliverPolicy, jetstream, jetstreamManager } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'
import { createLogger } from '@sheaf/kit/logger'
import { connectNats } from '@sheaf/kit/nats'
import { DirectoryEvent, DocumentEventKind } from '@sheaf/protos/sheaf/events/v1/directory'
import { testEngines } from '@sheaf/testkit/engines'
import { eventually } from '@sheaf/testkit/eventually'
import { TestDirectory, type TestUser } from './test-directory'

const STREAM = 'SHEAF_DIRECTORY'

describe('events of the directory', () => {
  let directory: TestDirectory
  let nats: NatsConnection
  let alice: TestUser
  let bob: TestUser
  beforeAll(async () => {
    nats = await connectNats({
      url: testEngines().natsUrl,
      name: 'test',
      log: createLogger('test'),
    })
    directory = await TestDirectory.start()
    ;[alice, bob] = await directory.addUsers('alice', 'bob')
    await directory.addHome()
    await directory.createOrg(alice, 'first')
  })
  afterAll(async () => {
    await directory[Symbol.asyncDispose]()
    await nats.close()
  })

  const createDocument = async () =>
    directory.createDocument(alice, await directory.createWorkspace(alice, 'first'))
  const published = (docId: string, count: number) =>
    eventually(async () => {
      const events = await readDocumentEvents(nats, docId)
      return events.length >= count && events
    })

  it('tell of a document that it was created, changed, removed, restored and deleted, in this order', async () => {
    const { documents } = directory.clients
    const call = await directory.as(alice)
    const docId = await createDocument()
    const address = { document: docId, site: '' }
    await documents.updateDocument({ ...address, name: 'Plants' }, call)
    await documents.updateDocument({ ...address, name: 'Plants' }, call) // changes nothing
    const target = await directory.createWorkspace(alice, 'first', 'Other')
    await documents.moveDocument({ ...address, workspaceId: target }, call)
    await documents.removeDocument(address, call)
    await documents.restoreDocument(address, call)
    await documents.deleteDocument(address, call)

    const events = await published(docId, 6)
    expect(events.map(({ event }) => event?.$case === 'document' && event.value.kind)).toEqual([
      DocumentEventKind.CREATED,
      DocumentEventKind.UPDATED,
      DocumentEventKind.UPDATED,
      DocumentEventKind.REMOVED,
      DocumentEventKind.RESTORED,
      DocumentEventKind.DELETED,
    ])
    expect(
      events.map(({ event }) => event?.$case === 'document' && event.value.changedFields),
    ).toEqual([[], ['name'], ['workspace_id'], [], [], []])
    expect(events[2]?.event).toMatchObject({ value: { docId, workspaceId: target } })
    const sequences = events.map(({ sequence }) => sequence)
    expect(sequences).toEqual([...sequences].sort((a, b) => a - b))
    expect(new Set(events.map(({ id }) => id)).size).toBe(6)
    // Entries are deleted after they were published.
    await eventually(async () => (await directory.countOutbox('events')) === 0)
  })

  it('tell of changed roles and limits who changed them for whom', async () => {
    const docId = await createDocument()
    const resource = { $case: 'document', value: docId } as const
    await directory.share(alice, resource, { 'bob@example.com': 'editors' })
    await directory.share(alice, resource, { 'bob@example.com': null }, 'viewers')

    const events = await eventually(async () => {
      const found = await readEvents(nats, `sheaf.directory.access.document.${docId}`)
      return found.length >= 3 && found
    })
    const about = { level: 'document', docId, actorId: alice.id }
    expect(events.map(({ event }) => event?.value)).toEqual(
      [
        { what: 'role', subjectId: bob.id, oldRole: '', newRole: 'editors' },
        { what: 'role', subjectId: bob.id, oldRole: 'editors', newRole: '' },
        { what: 'max_inherited_role', subjectId: 0, oldRole: 'owners', newRole: 'viewers' },
      ].map((change) => expect.objectContaining({ ...about, ...change, viewId: 0 }) as unknown),
    )
  })

  it('tell of changed links of forms which form it is', async () => {
    const docId = await createDocument()
    const form = { document: docId, site: '', viewId: 7 }
    const call = await directory.as(alice)
    await directory.clients.forms.createFormKey({ ...form, renew: false }, call)
    await directory.clients.forms.createFormKey({ ...form, renew: true }, call)
    await directory.clients.forms.deleteFormKey(form, call)

    const events = await eventually(async () => {
      const found = await readEvents(nats, `sheaf.directory.access.document.${docId}`)
      return found.length >= 3 && found
    })
    const about = { level: 'document', docId, actorId: alice.id, subjectId: 0, viewId: 7 }
    expect(events.map(({ event }) => event?.value)).toEqual(
      ['created', 'renewed', 'removed'].map(
        (change) => expect.objectContaining({ ...about, what: `form_link_${change}` }) as unknown,
      ),
    )
  })

  it('do not tell of a document that was reserved and never published', async () => {
    const workspaceId = await directory.createWorkspace(alice, 'first')
    const { document, token } = await directory.clients.documents.createDocument(
      { workspaceId, name: '', isPinned: false },
      await directory.as(alice),
    )
    const docId = document?.docId ?? ''
    await directory.clients.documents.discardDocument({ docId }, { token })

    const { rows } = await directory.query(
      `select 1 from directory.outbox where consumer = 'events' and doc_id = $1`,
      [docId],
    )
    expect(rows).toEqual([])
  })

  it('wait in the outbox while NATS is unreachable, and no change waits for them', async () => {
    await using offline = await TestDirectory.start({ natsUrl: 'nats://127.0.0.1:1' })
    const carol = await offline.addUser('carol')
    await offline.addHome()
    await offline.createOrg(carol, 'second')
    const docId = await offline.createDocument(
      carol,
      await offline.createWorkspace(carol, 'second'),
    )
    const address = { document: docId, site: '' }
    await offline.clients.documents.updateDocument(
      { ...address, name: 'Later' },
      await offline.as(carol),
    )
    expect(await offline.countOutbox('events')).toBe(2)

    await offline.startInstance({ natsUrl: testEngines().natsUrl })
    const events = await published(docId, 2)
    expect(events.map(({ event }) => event?.$case === 'document' && event.value.kind)).toEqual([
      DocumentEventKind.CREATED,
      DocumentEventKind.UPDATED,
    ])
  })
})

const readDocumentEvents = (nats: NatsConnection, docId: string) =>
  readEvents(nats, `sheaf.directory.document.${docId}`)

/** Reads the events of one subject, in the order of the stream. */
async function readEvents(nats: NatsConnection, subject: string): Promise<DirectoryEvent[]> {
  const { streams } = await jetstreamManager(nats)
  const info = await streams.info(STREAM, { subjects_filter: subject }).catch(() => undefined)
  let left = info?.state.subjects?.[subject] ?? 0
  const events: DirectoryEvent[] = []
  if (left === 0) return events
  const consumer = await jetstream(nats).consumers.get(STREAM, {
    filter_subjects: [subject],
    deliver_policy: DeliverPolicy.All,
  })
  for await (const message of await consumer.consume()) {
    events.push(DirectoryEvent.decode(message.data))
    if (--left === 0) break
  }
  return events
}
