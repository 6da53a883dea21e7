import { eventually } from '@sheaf/testkit/eventually'
import { sql } from 'kysely'
import { DeliveryLogMaintenance } from '../src/delivery/delivery-log-maintenance'
import { SendingWorld } from './sending'

describe('upkeep', () => {
  let world: SendingWorld
  beforeAll(async () => {
    world = await SendingWorld.open()
  })
  afterAll(() => world[Symbol.asyncDispose]())

  const addDeliveries = (id: string, from: number, to: number, bytes: number) =>
    sql`insert into deliveries (id, webhook_id, state, size, body, body_bytes)
      select ${id} || '-' || n, ${id}::uuid, 'success', 1, 'x', ${bytes}::bigint
      from generate_series(${from}::int, ${to}::int) n`.execute(world.db)

  it('keeps the last 1,000 deliveries of 30 days, bodies within a bound, and all that waits', async () => {
    const busy = await world.addWebhook('http://127.0.0.1/busy')
    await addDeliveries(busy.id, 1, 1_200, 10)
    await sql`update deliveries set state = 'waiting' where id = ${`${busy.id}-1`}`.execute(
      world.db,
    )

    const old = await world.addWebhook('http://127.0.0.1/old')
    await addDeliveries(old.id, 1, 10, 10)
    await sql`update deliveries set created_at = now() - interval '31 days'
      where webhook_id = ${old.id} and position % 2 = 0`.execute(world.db)

    const large = await world.addWebhook('http://127.0.0.1/large')
    await addDeliveries(large.id, 1, 20, 1024 * 1024)
    // More webhooks than one step takes.
    for (let made = 0; made < 110; made++) await world.addWebhook('http://127.0.0.1/more')

    await using first = new DeliveryLogMaintenance(world.db, world.log)
    await using second = new DeliveryLogMaintenance(world.db, world.log)
    first.start()
    second.start()
    await eventually(async () => {
      const kept = await world.deliveries(busy.id)
      expect(kept.length).toBe(1_001)
      expect(kept[0]?.id).toBe(`${busy.id}-1`)
      expect(kept[1]?.id).toBe(`${busy.id}-201`)
      expect(await world.deliveries(old.id)).toHaveLength(5)
      const bodies = (await world.deliveries(large.id)).map(({ body }) => body !== null)
      expect(bodies).toEqual([...Array<boolean>(4).fill(false), ...Array<boolean>(16).fill(true)])
    })
  })
})
