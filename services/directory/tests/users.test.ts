import { TestDirectory } from './test-directory'

describe('users', () => {
  let directory: TestDirectory
  beforeAll(async () => {
    directory = await TestDirectory.start()
  })
  afterAll(() => directory[Symbol.asyncDispose]())

  it('makes a user with a personal site and a workspace in it', async () => {
    const { users, orgs, workspaces } = directory.clients
    const { user, created } = await users.ensureUser(
      { email: 'Alice@Example.com', name: '' },
      await directory.system(),
    )
    expect(created).toBe(true)
    expect(user).toMatchObject({ email: 'alice@example.com', name: 'alice' })

    const alice = await directory.addUser('alice')
    expect(alice.id).toBe(user?.id)
    const call = await directory.as(alice)
    const found = await orgs.listOrgs({ site: '' }, call)
    expect(found.orgs).toMatchObject([
      {
        name: 'Personal',
        domain: `docs-${alice.id}`,
        owner: { id: alice.id, name: 'alice', picture: undefined },
        access: 1,
      },
    ])
    const listed = await workspaces.listWorkspaces({ org: { org: 'current', site: '' } }, call)
    expect(listed.workspaces).toMatchObject([{ name: 'Home', access: 1, docs: [] }])
  })

  it('makes one user when many ask at once', async () => {
    const call = await directory.system()
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        directory.clients.users.ensureUser({ email: 'bob@example.com', name: `Bob ${i}` }, call),
      ),
    )
    expect(answers.filter(({ created }) => created)).toHaveLength(1)
    expect(new Set(answers.map(({ user }) => user?.id)).size).toBe(1)
    const { rows } = await directory.query('select 1 from directory.orgs where owner_id = $1', [
      answers[0]?.user?.id,
    ])
    expect(rows).toHaveLength(1)
  })

  it('keeps the name of a user who exists', async () => {
    const call = await directory.system()
    await directory.clients.users.ensureUser({ email: 'carol@example.com', name: 'Carol' }, call)
    const { user } = await directory.clients.users.ensureUser(
      { email: 'CAROL@example.com', name: 'Other' },
      call,
    )
    expect(user?.name).toBe('Carol')
  })

  it('tells who users are, of those who have an account, and only to Sheaf itself', async () => {
    const { users } = directory.clients
    const erin = await directory.addUser('erin')
    const userIds = [erin.id, 1, 999_999, -1, 2 ** 40]
    const names = await users.listUserNames({ userIds }, await directory.system())
    expect(names.users).toEqual([
      { id: 1, email: 'anon@getgrist.com', name: 'Anonymous' },
      { id: erin.id, email: 'erin@example.com', name: 'erin' },
    ])
    expect((await users.listUserNames({ userIds: [] }, await directory.system())).users).toEqual([])
    await expect(
      users.listUserNames({ userIds: new Array(1001).fill(1) }, await directory.system()),
    ).rejects.toMatchObject({ code: 'invalid', reason: 'INVALID_PAGE' })
    await expect(users.listUserNames({ userIds }, await directory.as(erin))).rejects.toMatchObject({
      code: 'forbidden',
      reason: 'SYSTEM_ONLY',
    })
  })

  it('lists users by id, a page at a time, without the public ones', async () => {
    const call = await directory.system()
    for (const name of ['dan', 'erin', 'frank']) await directory.addUser(name)
    const all = await directory.clients.users.listUsers({ afterId: 0, limit: 0 }, call)
    const ids = all.users.map(({ id }) => id)
    expect(ids).toEqual([...ids].sort((a, b) => a - b))
    expect(all.users.map(({ email }) => email)).not.toContain('anon@getgrist.com')
    const page = await directory.clients.users.listUsers({ afterId: ids[0] ?? 0, limit: 1 }, call)
    expect(page.users.map(({ id }) => id)).toEqual([ids[1]])
  })

  it.each([
    '',
    'nobody',
    'two@at@signs',
    'spa ce@example.com',
    'nul\0@example.com',
    'everyone@getgrist.com',
    `${'x'.repeat(250)}@example.com`,
  ])('refuses %j as an email', async (email) => {
    const call = await directory.system()
    await expect(
      directory.clients.users.ensureUser({ email, name: '' }, call),
    ).rejects.toMatchObject({ code: 'invalid', metadata: { field: 'email' } })
  })

  it('refuses callers that are not the system', async () => {
    const dan = await directory.addUser('dan')
    for (const call of [await directory.as(dan), await directory.as()]) {
      await expect(
        directory.clients.users.ensureUser({ email: 'x@example.com', name: '' }, call),
      ).rejects.toMatchObject({ code: 'forbidden' })
      await expect(
        directory.clients.users.listUsers({ afterId: 0, limit: 0 }, call),
      ).rejects.toMatchObject({ code: 'forbidden' })
    }
    await expect(directory.clients.users.listUsers({ afterId: 0, limit: 0 })).rejects.toMatchObject(
      { code: 'unauthenticated' },
    )
  })
})
