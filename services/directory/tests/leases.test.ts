import { eventually } from '@sheaf/testkit/eventually'
import { TestDirectory, type Clients, type TestUser } from './test-directory'
import { TestHolder } from './test-holder'

describe('leases', () => {
  let directory: TestDirectory
  let other: Clients
  let alice: TestUser
  const holders: TestHolder[] = []
  beforeAll(async () => {
    directory = await TestDirectory.start()
    other = await directory.startInstance()
    alice = await directory.addUser('alice')
  })
  afterEach(async () => {
    for (const holder of holders.splice(0)) await holder[Symbol.asyncDispose]()
    await directory.query('delete from directory.access_leases')
  })
  afterAll(() => directory[Symbol.asyncDispose]())

  const hold = async (clients: Clients = directory.clients): Promise<TestHolder> => {
    const holder = new TestHolder(clients.access, await directory.system())
    holders.push(holder)
    await eventually(() => holder.hasLease())
    return holder
  }
  const createKey = async (): Promise<string> => {
    const { key } = await directory.clients.keys.createKey(
      { userId: alice.id, name: '', expiresAt: '' },
      await directory.system(),
    )
    return key
  }
  const revoke = async (key: string, clients: Clients = directory.clients): Promise<void> => {
    await clients.keys.revokeKey({ keyRef: { $case: 'key', value: key } }, await directory.system())
  }

  it('are dropped before the revocation of a key returns', async () => {
    const holder = await hold()
    holder.keepAlive(200)
    for (let i = 0; i < 5; i++) {
      const key = await createKey()
      holder.cache.set(key, 'access')
      expect(holder.recall(key)).toBe('access')
      await revoke(key)
      expect(holder.hasLease()).toBe(true)
      expect(holder.recall(key)).toBeUndefined()
    }
  })

  it('delay a change no longer than they last when their holder is frozen', async () => {
    const holder = await hold()
    const key = await createKey()
    holder.cache.set(key, 'access')
    holder.frozen = true
    const revoking = revoke(key)
    expect(holder.recall(key)).toBe('access')
    await revoking
    expect(holder.cache.get(key)).toBe('access')
    expect(holder.hasLease()).toBe(false)
  })

  it('work across instances that share a database', async () => {
    const here = await hold()
    const there = await hold(other)
    for (const holder of [here, there]) holder.keepAlive(500)
    for (const clients of [directory.clients, other]) {
      const key = await createKey()
      for (const holder of [here, there]) holder.cache.set(key, 'access')
      await revoke(key, clients)
      for (const holder of [here, there]) {
        expect(holder.hasLease()).toBe(true)
        expect(holder.recall(key)).toBeUndefined()
      }
    }
  })

  it('are told of changes by their renewals when announcements are lost', async () => {
    const there = await hold(other)
    there.keepAlive(300)
    await directory.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and query ilike 'listen %'`,
    )
    const key = await createKey()
    there.cache.set(key, 'access')
    await revoke(key)
    expect(there.recall(key)).toBeUndefined()
    await eventually(async () => {
      const { rows } = await directory.query(
        `select 1 from pg_stat_activity where datname = current_database() and query ilike 'listen %'`,
      )
      return rows.length === 2
    })
  })

  it('hold under many changes and many holders at once', async () => {
    const all = [await hold(), await hold(other), await hold(), await hold(other)]
    for (const holder of all) holder.keepAlive(100)
    const keys = await Promise.all(Array.from({ length: 12 }, createKey))
    await Promise.all(
      keys.map(async (key, i) => {
        for (const holder of all) holder.cache.set(key, 'access')
        await revoke(key, i % 2 === 0 ? other : directory.clients)
        for (const holder of all) expect(holder.recall(key)).toBeUndefined()
      }),
    )
  })

  it('count what was decided before a change as older than it', async () => {
    const before = await directory.resolve(alice)
    await revoke(await createKey())
    const after = await directory.resolve(alice)
    expect(after.accessVersion).toBeGreaterThan(before.accessVersion)
    const holder = await hold(other)
    expect(holder.version).toBe(after.accessVersion)
  })

  it('are for the system alone', async () => {
    const dan = await directory.addUser('dan')
    const answers = directory.clients.access.holdLease(
      (async function* () {
        yield { holderId: 'dan', droppedVersion: 0 }
      })(),
      await directory.as(dan),
    )
    await expect(answers[Symbol.asyncIterator]().next()).rejects.toMatchObject({
      code: 'forbidden',
    })
  })

  it('need a holder with a name', async () => {
    const answers = directory.clients.access.holdLease(
      (async function* () {
        yield { holderId: '', droppedVersion: 0 }
      })(),
      await directory.system(),
    )
    await expect(answers[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'invalid' })
  })
})
