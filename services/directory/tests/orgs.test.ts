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
