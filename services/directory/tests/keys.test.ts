import { eventually } from '@sheaf/testkit/eventually'
import { createApiKey } from '../src/access/api-keys'
import { TestDirectory, type TestUser } from './test-directory'

describe('keys', () => {
  let directory: TestDirectory
  let alice: TestUser
  let bob: TestUser
  beforeAll(async () => {
    directory = await TestDirectory.start()
    alice = await directory.addUser('alice')
    bob = await directory.addUser('bob')
  })
  afterAll(() => directory[Symbol.asyncDispose]())

  it('identify their user', async () => {
    const answer = await directory.resolve(alice)
    expect(answer.caller).toEqual({
      userId: alice.id,
      email: 'alice@example.com',
      name: 'alice',
      anonymous: false,
      system: false,
    })
    expect(answer.keyExpiresAt).toBe(0)
    expect(answer.tokenExpiresAt).toBeLessThanOrEqual(Date.now() + 30_000)
  })

  it('are stored as hashes and shown once', async () => {
    const { rows } = await directory.query('select k::text as row from directory.api_keys k')
    expect(JSON.stringify(rows)).not.toContain(alice.key)
    const { apiKeys } = await directory.clients.keys.listKeys(
      { userId: alice.id },
      await directory.as(alice),
    )
    expect(apiKeys.some(({ prefix }) => prefix === alice.key.slice(0, 12))).toBe(true)
    expect(JSON.stringify(apiKeys)).not.toContain(alice.key)
  })

  it.each(['', 'nonsense', 'shf_short', createApiKey(), `${createApiKey()}x`])(
    'are refused when wrong: %j',
    async (key) => {
      await expect(directory.resolve({ ...alice, key })).rejects.toMatchObject({
        code: 'unauthenticated',
        reason: 'INVALID_API_KEY',
        message: 'Bad request: invalid API key',
      })
    },
  )

  it('can be many, with names, and revoked one by one', async () => {
    const { keys } = directory.clients
    const call = await directory.as(bob)
    const second = await keys.createKey({ userId: bob.id, name: 'second', expiresAt: '' }, call)
    const third = await keys.createKey({ userId: bob.id, name: 'third', expiresAt: '' }, call)
    await keys.revokeKey({ keyRef: { $case: 'key', value: second.key } }, call)
    await expect(directory.resolve({ ...bob, key: second.key })).rejects.toMatchObject({
      code: 'unauthenticated',
    })
    await directory.resolve({ ...bob, key: third.key })
    const prefix = third.apiKey?.prefix ?? ''
    const { apiKey } = await keys.revokeKey({ keyRef: { $case: 'key', value: prefix } }, call)
    expect(apiKey?.name).toBe('third')
    await expect(directory.resolve({ ...bob, key: third.key })).rejects.toMatchObject({
      code: 'unauthenticated',
    })
    const { apiKeys } = await keys.listKeys({ userId: bob.id }, call)
    expect(apiKeys).toHaveLength(1)
    await expect(
      keys.revokeKey({ keyRef: { $case: 'key', value: prefix } }, call),
    ).rejects.toMatchObject({ code: 'not_found' })
  })

  it('end when their time is over, and no token outlives them', async () => {
    const expiresAt = new Date(Date.now() + 1500)
    const { key, apiKey } = await directory.clients.keys.createKey(
      { userId: alice.id, name: 'short', expiresAt: expiresAt.toISOString() },
      await directory.as(alice),
    )
    expect(apiKey?.expiresAt).toBe(expiresAt.toISOString())
    const answer = await directory.resolve({ ...alice, key })
    expect(answer.keyExpiresAt).toBe(expiresAt.getTime())
    expect(answer.tokenExpiresAt).toBeLessThanOrEqual(expiresAt.getTime())
    await eventually(async () => {
      await expect(directory.resolve({ ...alice, key })).rejects.toMatchObject({
        code: 'unauthenticated',
      })
    })
  })

  it.each(['yesterday', '2020-01-01', '2999-13-01', '12'])(
    'refuse %j as their end',
    async (expiresAt) => {
      await expect(
        directory.clients.keys.createKey(
          { userId: alice.id, name: '', expiresAt },
          await directory.as(alice),
        ),
      ).rejects.toMatchObject({ code: 'invalid', metadata: { field: 'expires_at' } })
    },
  )

  it('tell when they were last used, soon after', async () => {
    await directory.resolve(alice)
    const prefix = alice.key.slice(0, 12)
    await eventually(async () => {
      const { rows } = await directory.query(
        `select 1 from directory.api_keys where prefix = $1 and last_used_at > now() - interval '1 minute'`,
        [prefix],
      )
      return rows.length
    })
  })

  it("are nobody's business but their user's and the system's", async () => {
    const { keys } = directory.clients
    const call = await directory.as(alice)
    await expect(keys.listKeys({ userId: bob.id }, call)).rejects.toMatchObject({
      code: 'forbidden',
    })
    await expect(
      keys.createKey({ userId: bob.id, name: '', expiresAt: '' }, call),
    ).rejects.toMatchObject({ code: 'forbidden' })
    await expect(
      keys.revokeKey({ keyRef: { $case: 'key', value: bob.key } }, call),
    ).rejects.toMatchObject({ code: 'not_found' })
    await expect(keys.listKeys({ userId: 1 }, await directory.as())).rejects.toMatchObject({
      code: 'unauthenticated',
    })
    await directory.resolve(bob)
  })

  it('are not made for users who do not exist or cannot sign in', async () => {
    const call = await directory.system()
    for (const userId of [1, 2, 999_999, 0, -1, 2 ** 40])
      await expect(
        directory.clients.keys.createKey({ userId, name: '', expiresAt: '' }, call),
      ).rejects.toMatchObject({ code: 'not_found' })
  })
})
