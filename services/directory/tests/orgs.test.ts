import { Role } from '@sheaf/protos/sheaf/directory/v1/access'
import { TestDirectory, type TestUser } from './test-directory'

describe('orgs', () => {
  let directory: TestDirectory
  let alice: TestUser
  let bob: TestUser
  let dan: TestUser
  let team: number
  beforeAll(async () => {
    directory = await TestDirectory.start()
    ;[alice, bob, dan] = await directory.addUsers('alice', 'bob', 'dan')
    team = await directory.createOrg(alice, 'bench')
  })
  afterAll(() => directory[Symbol.asyncDispose]())

  const get = async (user: TestUser | undefined, org: string, site = '') => {
    const answer = await directory.clients.orgs.getOrg(
      { org: { org, site } },
      await directory.as(user),
    )
    return answer.org
  }
  const list = async (user?: TestUser, site = '') => {
    const { orgs } = await directory.clients.orgs.listOrgs({ site }, await directory.as(user))
    return orgs
  }

  it('are listed to their users, the personal one first', async () => {
    await directory.createOrg(alice, 'aardvark')
    expect((await list(alice)).map(({ domain }) => domain)).toEqual([
      `docs-${alice.id}`,
      'aardvark',
      'bench',
    ])
    expect((await list(dan)).map(({ name }) => name)).toEqual(['Personal'])
    expect(await list()).toEqual([])
  })

  it('are found by id, by domain, as current and as docs', async () => {
    const bench = { id: team, name: 'Team bench', domain: 'bench', owner: undefined, access: 1 }
    expect(await get(alice, String(team))).toMatchObject(bench)
    expect(await get(alice, 'bench')).toMatchObject(bench)
    expect(await get(alice, 'BENCH')).toMatchObject(bench)
    expect(await get(alice, 'current', 'bench')).toMatchObject(bench)
    const personal = await get(alice, 'docs', 'bench')
    expect(personal).toMatchObject({ name: 'Personal', owner: { id: alice.id } })
    expect(await get(alice, 'current')).toEqual(personal)
    expect(await get(alice, `docs-${alice.id}`)).toEqual(personal)
  })

  it('are not found when there are none, and forbidden to strangers', async () => {
    for (const org of ['999999', 'nosuchorg', '', 'x y', '99999999999999', 'nul\0'])
      await expect(get(alice, org)).rejects.toMatchObject({
        code: 'not_found',
        message: 'organization not found',
      })
    for (const [user, org] of [
      [dan, 'bench'],
      [undefined, String(team)],
      [dan, `docs-${alice.id}`],
    ] as const)
      await expect(get(user, org)).rejects.toMatchObject({
        code: 'forbidden',
        message: 'access denied',
      })
    await expect(get(undefined, 'current')).rejects.toMatchObject({ code: 'not_found' })
  })

  it('may have no domain', async () => {
    const id = await directory.createOrg(bob, '')
    expect(await get(bob, String(id))).toMatchObject({ domain: `o-${id}` })
    expect(await get(bob, `o-${id}`)).toMatchObject({ id })
  })

  it('come with a workspace Home', async () => {
    const { workspaces } = await directory.clients.workspaces.listWorkspaces(
      { org: { org: 'bench', site: '' } },
      await directory.as(alice),
    )
    expect(workspaces).toMatchObject([{ name: 'Home', access: Role.OWNERS, orgDomain: 'bench' }])
  })

  it('refuse domains that are not permitted or taken, and empty names', async () => {
    const call = await directory.as(alice)
    const create = (name: string, domain: string) =>
      directory.clients.orgs.createOrg({ name, domain }, call)
    await expect(create('X', 'Bad_Domain')).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringContaining('Domain is not permitted: Domain must include') as string,
    })
    await expect(create('X', 'bench')).rejects.toMatchObject({
      code: 'invalid',
      message: 'Domain already in use',
    })
    await expect(create('', 'fine')).rejects.toMatchObject({ code: 'invalid' })
    await expect(create('nul\0', 'fine')).rejects.toMatchObject({ code: 'invalid' })
    await expect(
      directory.clients.orgs.createOrg({ name: 'X', domain: '' }, await directory.as()),
    ).rejects.toMatchObject({ code: 'unauthenticated', message: 'authentication required' })
  })

  it('are changed by owners alone', async () => {
    const { orgs } = directory.clients
    const org = { org: String(await directory.createOrg(alice, 'before')), site: '' }
    await directory.grant('org', Number(org.org), bob, 'editors')
    await expect(
      orgs.updateOrg({ org, name: 'No' }, await directory.as(bob)),
    ).rejects.toMatchObject({ code: 'forbidden', message: 'access denied' })
    const call = await directory.as(alice)
    await orgs.updateOrg({ org, name: 'After', domain: 'after' }, call)
    expect(await get(bob, 'after')).toMatchObject({ name: 'After', access: Role.EDITORS })
    await expect(get(alice, 'before')).rejects.toMatchObject({ code: 'not_found' })
    await orgs.updateOrg({ org }, call)
    expect(await get(alice, 'after')).toMatchObject({ name: 'After' })
    await expect(orgs.updateOrg({ org, domain: 'bench' }, call)).rejects.toMatchObject({
      message: 'Domain already in use',
    })
    await expect(
      orgs.updateOrg({ org: { org: 'docs', site: '' }, domain: 'mine' }, call),
    ).rejects.toMatchObject({ code: 'invalid' })
  })

  describe('preferences', () => {
    type Json = Partial<Record<'orgJson' | 'userJson' | 'userOrgJson', object>>
    const site = (org: string) => ({ org, site: '' })
    const bytes = (json?: object) => json && Buffer.from(JSON.stringify(json))
    const set = async (user: TestUser | undefined, org: string, json: Json) =>
      directory.clients.orgs.updateOrg(
        {
          org: site(org),
          preferences: {
            orgJson: bytes(json.orgJson),
            userJson: bytes(json.userJson),
            userOrgJson: bytes(json.userOrgJson),
          },
        },
        await directory.as(user),
      )
    const shown = async (user: TestUser | undefined, org: string) => {
      const call = await directory.as(user)
      const { preferences } = await directory.clients.orgs.getOrg({ org: site(org) }, call)
      return Object.fromEntries(
        Object.entries(preferences ?? {}).flatMap(([key, value]) =>
          value instanceof Uint8Array ? [[key, JSON.parse(Buffer.from(value).toString())]] : [],
        ),
      ) as Json
    }

    it('of a site are for all its users, one’s own for oneself, on one site or on all', async () => {
      await directory.createOrg(alice, 'prefs')
      await directory.createOrg(alice, 'prefs-2')
      for (const org of ['prefs', 'prefs-2'])
        await directory.grant('org', (await get(alice, org))?.id ?? 0, bob, 'viewers')
      expect(await shown(bob, 'prefs')).toEqual({})
      await set(alice, 'prefs', { orgJson: { logo: 'x' } })
      await set(bob, 'prefs', { userJson: { dark: true }, userOrgJson: { tour: 1, old: 2 } })
      await set(bob, 'prefs', { userOrgJson: { tour: 'été\0\ud800' } })
      expect(await shown(bob, 'prefs')).toEqual({
        orgJson: { logo: 'x' },
        userJson: { dark: true },
        userOrgJson: { tour: 'été\0\ud800' },
      })
      expect(await shown(alice, 'prefs')).toEqual({ orgJson: { logo: 'x' } })
      expect(await shown(bob, 'prefs-2')).toEqual({ userJson: { dark: true } })
      await set(bob, 'prefs', { userOrgJson: {} })
      expect(await shown(bob, 'prefs')).toMatchObject({ userOrgJson: {} })
    })

    it('of a site need an owner, together with other changes as well, and one’s own a user', async () => {
      const id = await directory.createOrg(alice, 'prefs-3')
      await directory.grant('org', id, bob, 'editors')
      await directory.grant('org', id, { id: 2 }, 'viewers')
      const forbidden = { code: 'forbidden', message: 'access denied' }
      await expect(set(bob, 'prefs-3', { orgJson: {}, userJson: {} })).rejects.toMatchObject(
        forbidden,
      )
      await expect(set(dan, 'prefs-3', { userOrgJson: {} })).resolves.toEqual({})
      await expect(set(undefined, 'prefs-3', { userOrgJson: {} })).rejects.toMatchObject({
        code: 'unauthenticated',
      })
      const named = {
        org: site('prefs-3'),
        name: 'X',
        preferences: { userOrgJson: Buffer.from('{}') },
      }
      await expect(
        directory.clients.orgs.updateOrg(named, await directory.as(bob)),
      ).rejects.toMatchObject(forbidden)
      expect(await shown(bob, 'prefs-3')).not.toHaveProperty('userOrgJson')
    })

    it('are JSON objects within bounds', async () => {
      const deep = JSON.parse(`${'{"a":'.repeat(70)}1${'}'.repeat(70)}`) as object
      for (const userJson of [[], { a: 'x'.repeat(20_000) }, deep])
        await expect(set(alice, 'bench', { userJson })).rejects.toMatchObject({
          code: 'invalid',
          reason: 'BAD_FIELD',
          message: expect.stringContaining('preferences.user_json') as string,
        })
      const broken = { org: site('bench'), preferences: { userJson: Buffer.from('{') } }
      await expect(
        directory.clients.orgs.updateOrg(broken, await directory.as(alice)),
      ).rejects.toMatchObject({ reason: 'BAD_FIELD' })
    })

    it('of new users let clients show them a tour of their own site', async () => {
      const erin = await directory.addUser('erin')
      expect(await shown(erin, 'docs')).toEqual({ userOrgJson: { showGristTour: true } })
      await set(erin, 'docs', { userOrgJson: {} })
      expect(await shown(erin, 'docs')).toEqual({ userOrgJson: {} })
    })

    it('are hidden from keys with a scope, which can change them on their site only', async () => {
      const key = await directory.withScope(alice, { orgs: ['bench'] })
      await set(key, 'bench', { orgJson: { a: 1 }, userOrgJson: { b: 2 } })
      expect(await shown(key, 'bench')).toEqual({})
      expect(await shown(alice, 'bench')).toMatchObject({
        orgJson: { a: 1 },
        userOrgJson: { b: 2 },
      })
      for (const [org, json] of [
        ['bench', { userJson: {} }],
        ['docs', { userOrgJson: {} }],
      ] as const)
        await expect(set(key, org, json)).rejects.toMatchObject({ reason: 'KEY_SCOPE' })
    })
  })

  it('are seen by members and by guests', async () => {
    const carol = await directory.addUser('carol')
    const org = await directory.createOrg(alice, 'guests')
    await directory.grant('org', org, carol, 'members')
    expect(await get(carol, 'guests')).toMatchObject({ access: Role.MEMBERS })
    const workspace = await directory.createWorkspace(alice, org)
    await directory.grant('workspace', workspace, dan, 'viewers')
    expect(await get(dan, 'guests')).toMatchObject({ access: Role.GUESTS })
    expect((await list(dan)).map(({ domain }) => domain)).toContain('guests')
  })

  it('that are public are open to all but listed to nobody, save anonymously at their address', async () => {
    const org = await directory.createOrg(alice, 'public')
    await directory.grant('org', org, { id: 2 }, 'viewers')
    expect(await get(dan, 'public')).toMatchObject({ access: Role.UNSPECIFIED })
    expect((await list(dan)).map(({ domain }) => domain)).not.toContain('public')
    expect(await list(undefined, 'public')).toEqual([])
    await directory.grant('org', org, { id: 1 }, 'viewers')
    expect(await list(undefined, 'public')).toMatchObject([{ id: org }])
  })
})
