import { randomUUID } from 'node:crypto'
import { eventually } from '@sheaf/testkit/eventually'
import { startReceiver, type WebhookReceiver } from '@sheaf/testkit/webhook-receiver'
import { numbered, SendingWorld } from './sending'

const never = () => new Promise<never>(() => {})
const range = (count: number) => Array.from({ length: count }, (_, index) => index)
const few = { working: 4, slow: 4, failing: 4 }
const pace = { slowMs: 2_000, turnMs: 15_000 }

describe('deliveries to slow receivers', () => {
  let world: SendingWorld
  let receiver: WebhookReceiver
  const slow: WebhookReceiver[] = []
  beforeEach(async () => {
    world = await SendingWorld.open()
    receiver = await startReceiver()
  })
  afterEach(async () => {
    await world[Symbol.asyncDispose]()
    for (const each of [receiver, ...slow.splice(0)]) await each[Symbol.asyncDispose]()
  })

  const startSlow = async (host?: string) => {
    const started = await startReceiver({ host, answer: never })
    slow.push(started)
    return started
  }
  const countSlow = () => slow.reduce((sum, { deliveries }) => sum + deliveries.length, 0)
  const isDelivered = async (url: string, fields = {}) => {
    const { id } = await world.addWebhook(`${url}/prompt`, fields)
    await world.queue(id, numbered(1))
    await eventually(() => receiver.rows('/prompt').length === 1)
  }

  it('of 200 webhooks of one document to 200 ports delay no other document', async () => {
    const docId = randomUUID()
    await Promise.all(range(200).map(() => startSlow('127.0.0.2')))
    for (const { url } of slow) {
      const { id } = await world.addWebhook(`${url}/slow`, { docId })
      await world.queue(id, numbered(1))
    }
    world.startSender()
    await eventually(() => countSlow() >= 48)
    await isDelivered(receiver.url)
    expect(countSlow()).toBe(48)
  })

  it('of many documents of one user to many networks delay no other user', async () => {
    const creator = 7
    for (const index of range(20)) {
      const { url } = await startSlow(`127.0.2.${index + 1}`)
      const { id } = await world.addWebhook(`${url}/slow`, { creator })
      await world.queue(id, numbered(1))
    }
    world.startSender({ allowedHosts: ['*'], slots: { ...few, working: 16 } })
    await eventually(() => countSlow() === 4)
    await isDelivered(receiver.url, { creator: 8 })
    expect(countSlow()).toBe(4)
  })

  it('that were slow before take slots of their own lane only', async () => {
    for (const index of range(6)) {
      const { url } = await startSlow(`127.0.2.${index + 1}`)
      const { id } = await world.addWebhook(`${url}/slow`)
      await world.db.updateTable('webhooks').set({ slow: true }).where('id', '=', id).execute()
      await world.queue(id, numbered(1))
    }
    world.startSender({ allowedHosts: ['*'], slots: few })
    await eventually(() => countSlow() === 4)
    await isDelivered(receiver.url)
    expect(countSlow()).toBe(4)
  })

  it('mark their webhooks as slow until an attempt is fast again, and end their turn', async () => {
    const { id } = await world.addWebhook(`${receiver.url}/slow`)
    const sender = world.startSender({ pace: { ...pace, slowMs: -1 } })
    await world.queue(id, numbered(250))
    await eventually(() => receiver.rows('/slow').length === 250)
    await eventually(async () =>
      expect(await world.webhook(id)).toMatchObject({
        slow: true,
        network: '127.0.0.1',
        waiting_count: 0,
      }),
    )
    await sender[Symbol.asyncDispose]()
    world.startSender()
    await world.queue(id, numbered(1))
    await eventually(async () => expect(await world.webhook(id)).toMatchObject({ slow: false }))
  })

  it('end their turn after a while, so that others have theirs', async () => {
    const [first, second] = [
      await world.addWebhook(`${receiver.url}/first`),
      await world.addWebhook(`${receiver.url}/second`),
    ]
    await world.queue(first.id, numbered(500))
    await world.queue(second.id, numbered(1))
    const slots = { working: 1, slow: 1, failing: 1 }
    world.startSender({ allowedHosts: ['*'], slots, pace: { ...pace, turnMs: 1 } })
    await eventually(() => receiver.deliveries.length === 6)
    const paths = receiver.deliveries.map(({ path }) => path)
    expect(paths.slice(0, 3)).toContain('/second')
  })
})
