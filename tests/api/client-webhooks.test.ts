import {
  ConflictError,
  PermissionError,
  Sheaf,
  type Doc,
  type WebhookDelivery,
} from '@sheaf/client'
import { eventually } from '@sheaf/testkit/eventually'
import { startReceiver, type WebhookReceiver } from '@sheaf/testkit/webhook-receiver'
import { homeWorkspace, useOwnSystem } from '../support/system'
import { allowLoopback, untilRows } from '../support/webhooks'

const system = useOwnSystem({ env: allowLoopback })

const createClient = (key = system.sheaf.ownerKey) => new Sheaf({ url: system.sheaf.url, key })

async function newDoc(): Promise<Doc> {
  const workspaceId = await homeWorkspace(system.alice.rest)
  const doc = await createClient().documents.create({ workspaceId, name: 'Webhooks' })
  await doc.addTables([{ id: 'Pets', columns: [{ id: 'Name', fields: { type: 'Text' } }] }])
  return doc
}

async function readDeliveries({ webhooks }: Doc, id: string): Promise<WebhookDelivery[]> {
  const found: WebhookDelivery[] = []
  for await (const delivery of webhooks.deliveries(id)) found.push(delivery)
  return found
}

describe('webhooks by the client', () => {
  let receiver: WebhookReceiver
  beforeAll(async () => {
    receiver = await startReceiver()
  })
  afterAll(() => receiver[Symbol.asyncDispose]())

  it('are created, changed, listed and deleted', async () => {
    const doc = await newDoc()
    const { webhooks } = doc
    const hook = { url: `${receiver.url}/made`, tableId: 'Pets', eventTypes: ['add'] } as const
    const [first = '', second = ''] = await webhooks.create([hook, { ...hook, name: 'Second' }])
    await webhooks.update(first, { name: 'First', enabled: false, watchedColIds: ['Name'] })
    const listed = await webhooks.list()
    expect(listed).toMatchObject([
      { id: first, fields: { ...hook, name: 'First', enabled: false, watchedColIds: ['Name'] } },
      { id: second, fields: { ...hook, name: 'Second', enabled: true }, usage: { numWaiting: 0 } },
    ])
    await webhooks.clearQueues()
    await webhooks.clearQueue(second)
    await webhooks.delete(first)
    expect((await webhooks.list()).map(({ id }) => id)).toEqual([second])
    await expect(webhooks.replay(first, { since: 0 })).rejects.toMatchObject({ status: 404 })
    const { key } = await system.sheaf.createUser('eva@example.com', 'Eva')
    const denied = createClient(key).doc(doc.id).webhooks.list()
    await expect(denied).rejects.toBeInstanceOf(PermissionError)
  })

  it('are tested and replayed, and their deliveries listed and sent again', async () => {
    const doc = await newDoc()
    const { webhooks } = doc
    const [id = ''] = await webhooks.create([
      { url: `${receiver.url}/sent`, tableId: 'Pets', eventTypes: ['add'] },
    ])
    const { seq } = await doc.position()
    await doc.table('Pets').add([{ Name: 'Rex' }])
    await untilRows(receiver, '/sent', 1)
    await eventually(async () => expect((await readDeliveries(doc, id))[0]?.status).toBe('success'))
    const [delivery] = await readDeliveries(doc, id)
    await webhooks.redeliver(id, delivery?.id ?? '')
    await untilRows(receiver, '/sent', 2)
    expect(await webhooks.replay(id, { since: seq })).toEqual({ queued: 1 })
    await untilRows(receiver, '/sent', 3)
    const test = await webhooks.test(id)
    await eventually(async () =>
      expect((await readDeliveries(doc, id)).map(({ id }) => id)).toContain(test),
    )
    const former = await webhooks.secrets(id)
    const secret = await webhooks.rotateSecret(id)
    expect(await webhooks.secrets(id)).toMatchObject({ secret, previousSecret: former.secret })
    await webhooks.update(id, { enabled: false })
    const replay = webhooks.replay(id, { sinceTime: '2026-01-01T00:00:00Z' })
    await expect(replay).rejects.toBeInstanceOf(ConflictError)
  })

  it('are not changed by a dry run', async () => {
    const doc = await newDoc()
    const create = doc.dryRun((trial) =>
      (trial as Doc).webhooks.create([{ url: receiver.url, tableId: 'Pets', eventTypes: ['add'] }]),
    )
    await expect(create).rejects.toMatchObject({ status: 400, reason: 'INVALID_PARAMETER' })
    expect(await doc.webhooks.list()).toEqual([])
  })
})
