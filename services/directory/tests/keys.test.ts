import { eventually } from '@sheaf/testkit/eventually'
import { createApiKey } from '../src/access/api-keys'
import { expectRefused, TestDirectory, type TestUser } from './test-directory'

describe('keys', () => {
  let directory: TestDirectory
  let alice: TestUser
  let bob: TestUser
  beforeAll(async () => {
    directory = await TestDirectory.start()
    ;[alice, bob] = await directory.addUsers('alice', 'bob')
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
    const expiresAt = new Date(Date.now() + 6_000)
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

  describe('the default one', () => {
    let call: Awaited<ReturnType<TestDirectory['as']>>
    beforeAll(async () => {
      call = await directory.as(bob)
    })
    const isRefused = (key: string) =>
      expect(directory.resolve({ ...bob, key })).rejects.toMatchObject({ code: 'unauthenticated' })

    it('is made once, and again only to replace it, which ends the old one at once', async () => {
      const { keys } = directory.clients
      expect((await keys.getDefaultKey({ userId: 0 }, call)).apiKey).toBeUndefined()
      const first = await keys.createDefaultKey({ userId: 0, replace: false }, call)
      expect(first.apiKey).toMatchObject({ userId: bob.id, isDefault: true, expiresAt: '' })
      const again = keys.createDefaultKey({ userId: 0, replace: false }, call)
      await expect(again).rejects.toMatchObject({ code: 'invalid', reason: 'KEY_EXISTS' })
      const second = await keys.createDefaultKey({ userId: 0, replace: true }, call)
      await isRefused(first.key)
      await directory.resolve({ ...bob, key: second.key })
      const { apiKey } = await keys.getDefaultKey({ userId: 0 }, call)
      expect(apiKey).toEqual(second.apiKey)
      expect(await keys.revokeDefaultKey({ userId: 0 }, call)).toEqual({ revoked: true })
      expect(await keys.revokeDefaultKey({ userId: 0 }, call)).toEqual({ revoked: false })
      await isRefused(second.key)
      await directory.resolve(bob)
    })

    it('is one at most when many make it at once', async () => {
      const { keys } = directory.clients
      const made = await Promise.allSettled(
        Array.from({ length: 8 }, () => keys.createDefaultKey({ userId: 0, replace: false }, call)),
      )
      expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
      const { apiKeys } = await keys.listKeys({ userId: 0 }, call)
      expect(apiKeys.filter(({ isDefault }) => isDefault)).toHaveLength(1)
      await keys.revokeDefaultKey({ userId: 0 }, call)
    })

    it('is the first that may be, when a key is made by other means', async () => {
      const { keys } = directory.clients
      const make = async (change: { expiresAt?: string; mayBeDefault?: boolean }) => {
        const request = { userId: bob.id, name: 'made', expiresAt: '', ...change }
        return (await keys.createKey(request, call)).apiKey?.isDefault
      }
      expect(await make({})).toBe(false)
      expect(await make({ mayBeDefault: true, expiresAt: '2999-01-01' })).toBe(false)
      expect(await make({ mayBeDefault: true })).toBe(true)
      expect(await make({ mayBeDefault: true })).toBe(false)
    })

    it('is nothing that the anonymous user has or can have', async () => {
      const { keys } = directory.clients
      const nobody = await directory.as()
      expect((await keys.getDefaultKey({ userId: 0 }, nobody)).apiKey).toBeUndefined()
      await expectRefused(
        [
          keys.createDefaultKey({ userId: 0, replace: false }, nobody),
          keys.revokeDefaultKey({ userId: 0 }, nobody),
        ],
        { code: 'unauthenticated' },
      )
    })
  })

  it('are bounded in number, however many are asked for at once', async () => {
    const carol = await directory.addUser('carol')
    await directory.query(
      `insert into directory.api_keys (user_id, name, prefix, hash)
       select ${carol.id}, 'k', 'p' || i, sha256(i::text::bytea) from generate_series(1, 996) i`,
    )
    const call = await directory.as(carol)
    const request = { userId: 0, name: 'one more', expiresAt: '' }
    const made = await Promise.allSettled(
      Array.from({ length: 8 }, () => directory.clients.keys.createKey(request, call)),
    )
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(3)
    await expect(directory.clients.keys.createKey(request, call)).rejects.toMatchObject({
      code: 'too_many',
      reason: 'TOO_MANY_KEYS',
    })
  })
})
