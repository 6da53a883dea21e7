import { Role } from '@sheaf/protos/sheaf/directory/v1/access'
import { eventually } from '@sheaf/testkit/eventually'
import { Client } from 'pg'
import { TestDirectory, type TestUser } from './test-directory'

const EVERYONE = 'everyone@getgrist.com'
const ANON = 'anon@getgrist.com'

describe('access', () => {
  let directory: TestDirectory
  let alice: TestUser
  let bob: TestUser
  let carol: TestUser
  let dan: TestUser
  let team: number
  let workspaceId: number
  let doc: string
  let count = 0

  beforeAll(async () => {
    directory = await TestDirectory.start()
    ;[alice, bob, carol, dan] = await directory.addUsers('alice', 'bob', 'carol', 'dan')
  })
  beforeEach(async () => {
    // An instance that has not reported for a while gets no new documents.
    await directory.addHome()
    team = await directory.createOrg(alice, `team${count++}`)
    workspaceId = await directory.createWorkspace(alice, team)
    doc = await directory.createDocument(alice, workspaceId)
  })
  afterAll(() => directory[Symbol.asyncDispose]())

  const org = () => ({ $case: 'org', value: String(team) }) as const
  const workspace = () => ({ $case: 'workspaceId', value: workspaceId }) as const
  const document = (docId = doc) => ({ $case: 'document', value: docId }) as const
  const share = (...args: Parameters<TestDirectory['share']>) => directory.share(...args)
  const roleOf = (user: TestUser | undefined, docId = doc) => directory.roleOf(user, docId)
  const documentId = (docId = doc) => directory.documentId(docId)

  it('is listed with what was given and what comes from above', async () => {
    await share(alice, org(), { [bob.email]: 'editors', [carol.email]: 'members' })
    await share(alice, workspace(), { [carol.email]: 'viewers' }, 'viewers')
    await share(alice, document(), { [dan.email]: 'editors' })
    const everybody = { isPersonal: false, isPublic: false }
    expect(await directory.listed(alice, org())).toEqual({
      users: ['alice owners -', 'bob editors -', 'carol members -', 'dan guests -'],
      cap: '-',
      ...everybody,
    })
    expect(await directory.listed(alice, workspace())).toEqual({
      users: ['alice owners owners', 'bob - editors', 'carol viewers -', 'dan guests -'],
      cap: 'viewers',
      ...everybody,
    })
    expect(await directory.listed(alice, document())).toEqual({
      users: ['alice owners owners', 'bob - viewers', 'carol - viewers', 'dan editors -'],
      cap: 'owners',
      ...everybody,
    })
    const { users } = await directory.clients.access.listAccess(
      { resource: { resource: document(), site: '' } },
      await directory.as(alice),
    )
    expect(users.map(({ isMember }) => isMember)).toEqual([true, true, true, false])
  })

  it('shows editors of a document who can open it, and all others themselves', async () => {
    await share(alice, org(), { [carol.email]: 'viewers' })
    await share(alice, document(), { [bob.email]: 'editors' })
    const own = { isPersonal: true, isPublic: false }
    expect(await directory.listed(bob, document())).toMatchObject({
      users: ['alice owners owners', 'bob editors -', 'carol - viewers'],
      ...own,
    })
    expect(await directory.listed(carol, document())).toMatchObject({
      users: ['carol - viewers'],
      ...own,
    })
    expect(await directory.listed(bob, org())).toMatchObject({ users: ['bob guests -'], ...own })
    for (const resource of [org(), workspace(), document()])
      for (const user of [dan, undefined])
        await expect(directory.listed(user, resource)).rejects.toMatchObject({
          code: 'forbidden',
          message: 'access denied',
        })
  })

  it('shows the public no people', async () => {
    await share(alice, document(), { [EVERYONE]: 'editors' })
    for (const user of [dan, undefined])
      expect(await directory.listed(user, document())).toMatchObject({
        users: [],
        isPersonal: true,
        isPublic: true,
      })
    await share(alice, document(), { [EVERYONE]: null, [ANON]: 'viewers' })
    expect(await directory.listed(undefined, document())).toMatchObject({
      users: [`${ANON} viewers -`],
      isPublic: true,
    })
    await expect(directory.listed(dan, document())).rejects.toMatchObject({ code: 'forbidden' })
    expect((await directory.listed(alice, org())).users).toContain(`${ANON} guests -`)
  })

  it('changes at once, for all levels', async () => {
    for (const [resource, role] of [
      [org(), 'viewers'],
      [workspace(), 'editors'],
      [document(), 'owners'],
    ] as const) {
      await share(alice, resource, { [bob.email]: role })
      expect(await roleOf(bob)).toBe(Role[role.toUpperCase() as 'OWNERS'])
    }
    await share(alice, document(), { [bob.email]: null })
    expect(await roleOf(bob)).toBe(Role.EDITORS)
    await share(alice, workspace(), {}, null)
    expect(await roleOf(bob)).toBe(Role.EDITORS)
    await share(alice, workspace(), { [bob.email]: null })
    expect(await roleOf(bob)).toBeUndefined()
  })

  it('is an owner’s to change', async () => {
    await share(alice, org(), { [bob.email]: 'editors', [carol.email]: 'members' })
    await share(alice, document(), { [EVERYONE]: 'editors' })
    for (const user of [bob, carol, dan, undefined])
      for (const resource of [org(), workspace(), document()])
        await expect(share(user, resource, { 'x@example.com': 'viewers' })).rejects.toMatchObject({
          code: 'forbidden',
          message: 'access denied',
        })
    expect(
      (await directory.query(`select 1 from directory.users where email = 'x@example.com'`)).rows,
    ).toEqual([])
  })

  it('is not found where the resource is not', async () => {
    const nowhere = [
      { $case: 'org', value: 'nosuchsite' },
      { $case: 'workspaceId', value: 999_999 },
      { $case: 'workspaceId', value: -1 },
      { $case: 'document', value: 'nosuchdocument' },
    ] as const
    for (const resource of nowhere) {
      await expect(directory.listed(alice, resource)).rejects.toMatchObject({ code: 'not_found' })
      await expect(share(alice, resource, {})).rejects.toMatchObject({ code: 'not_found' })
    }
    await expect(directory.listed(alice, undefined)).rejects.toMatchObject({ code: 'invalid' })
    await expect(share(alice, undefined, {})).rejects.toMatchObject({
      code: 'invalid',
      metadata: { field: 'resource' },
    })
    await expect(
      directory.listed(alice, { $case: 'document', value: String(await documentId()) }),
    ).resolves.toMatchObject({ cap: 'owners' })
  })

  it('cannot be changed by oneself', async () => {
    await share(alice, workspace(), { [bob.email]: 'owners' })
    for (const role of ['owners', 'viewers', null] as const)
      for (const [user, resource] of [
        [alice, org()],
        [alice, document()],
        [bob, document()],
      ] as const)
        await expect(
          share(user, resource, { [user.email.toUpperCase()]: role }),
        ).rejects.toMatchObject({
          code: 'invalid',
          message: 'Bad request: cannot update own permissions',
          metadata: { field: 'delta.users', email: user.email },
        })
  })

  it('can be left by who is no owner', async () => {
    await share(alice, document(), { [bob.email]: 'editors', [EVERYONE]: 'viewers' })
    await expect(
      share(bob, document(), { [bob.email]: null, [carol.email]: null }),
    ).rejects.toMatchObject({ code: 'forbidden' })
    await expect(share(bob, document(), { [bob.email]: null }, 'owners')).rejects.toMatchObject({
      code: 'forbidden',
    })
    await share(bob, document(), { 'Bob@Example.com': null })
    expect(await roleOf(bob)).toBe(Role.VIEWERS)
    await share(alice, document(), { [EVERYONE]: null, [ANON]: 'viewers' })
    expect(await roleOf(bob)).toBeUndefined()
    // The public is nobody who could leave.
    await expect(share(undefined, document(), { [ANON]: null })).rejects.toMatchObject({
      code: 'forbidden',
    })
    expect(await roleOf(undefined)).toBe(Role.VIEWERS)
  })

  it('to an org ends together with what is inside', async () => {
    await share(alice, workspace(), { [bob.email]: 'editors' })
    await share(alice, document(), { [bob.email]: 'editors', [carol.email]: 'viewers' })
    await share(alice, org(), { [bob.email]: null })
    expect(await roleOf(bob)).toBeUndefined()
    expect(await roleOf(carol)).toBe(Role.VIEWERS)
    await share(carol, org(), { [carol.email]: null })
    expect(await roleOf(carol)).toBeUndefined()
    expect((await directory.listed(alice, org())).users).toEqual(['alice owners -'])
    expect(await directory.auditOf('document', await documentId())).toEqual([
      'alice role bob - editors',
      'alice role carol - viewers',
      'alice role bob editors -',
      'carol role carol viewers -',
    ])
    expect(await directory.auditOf('workspace', workspaceId)).toContain('alice role bob editors -')
  })

  it('never leaves anything without an owner when somebody is taken out of an org', async () => {
    await share(alice, org(), { [bob.email]: 'editors' })
    const own = await directory.createDocument(bob, workspaceId)
    await share(bob, document(own), {}, null)
    expect(await roleOf(alice, own)).toBeUndefined()
    await expect(share(bob, org(), { [bob.email]: null })).rejects.toMatchObject({
      reason: 'LAST_OWNER',
    })
    expect(await roleOf(bob, own)).toBe(Role.OWNERS)
    await share(alice, org(), { [bob.email]: null })
    expect(await roleOf(bob, own)).toBeUndefined()
    expect(await roleOf(alice, own)).toBe(Role.OWNERS)
    expect(await directory.auditOf('document', await documentId(own))).toEqual([
      'bob max_inherited_role - owners -',
      'alice role bob owners -',
      'alice role alice - owners',
    ])
  })

  it('stays with an owner who lets less come down', async () => {
    await share(alice, org(), { [bob.email]: 'owners' })
    for (const resource of [workspace(), document()]) {
      await share(bob, resource, {}, 'viewers')
      expect((await directory.listed(bob, resource)).users).toContain('bob owners owners')
    }
    await share(alice, org(), { [bob.email]: 'viewers' })
    expect(await roleOf(bob)).toBe(Role.OWNERS)
  })

  it('is given to one of two owners who take it from each other', async () => {
    await share(alice, document(), { [bob.email]: 'owners' }, null)
    const outcomes = await Promise.allSettled([
      share(alice, document(), { [bob.email]: null }),
      share(bob, document(), { [alice.email]: null }),
    ])
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    const roles = await Promise.all([roleOf(alice), roleOf(bob)])
    expect(roles.filter((role) => role === Role.OWNERS)).toHaveLength(1)
  })

  it('to a personal site stays with whose it is', async () => {
    const personal = { $case: 'org', value: `docs-${alice.id}` } as const
    await share(alice, personal, { [bob.email]: 'owners' })
    for (const role of [null, 'viewers'] as const)
      await expect(share(bob, personal, { [alice.email]: role })).rejects.toMatchObject({
        reason: 'PERSONAL_ORG_OWNER',
        metadata: { email: alice.email },
      })
    await share(alice, personal, { [bob.email]: null })
  })

  it('of the public is never ownership, on an org of the anonymous user alone, and of one public user at a time', async () => {
    for (const email of [EVERYONE, ANON])
      for (const resource of [workspace(), document()])
        await expect(share(alice, resource, { [email]: 'owners' })).rejects.toMatchObject({
          code: 'invalid',
          message: 'Invalid user role owners',
          metadata: { field: 'delta.users', email },
        })
    await expect(share(alice, org(), { [EVERYONE]: 'viewers' })).rejects.toMatchObject({
      code: 'forbidden',
      message: 'This user cannot share with everyone at top level',
    })
    await share(alice, org(), { [EVERYONE]: null, [ANON]: 'viewers' })
    await share(alice, document(), { [EVERYONE]: 'editors' })
    expect([await roleOf(dan), await roleOf(undefined)]).toEqual([Role.EDITORS, Role.EDITORS])
    const both = { code: 'invalid', reason: 'TWO_PUBLIC_USERS' }
    await expect(share(alice, document(), { [ANON]: 'viewers' })).rejects.toMatchObject(both)
    await expect(
      share(alice, workspace(), { [ANON]: 'viewers', [EVERYONE]: 'viewers' }),
    ).rejects.toMatchObject(both)
    await share(alice, document(), { [ANON]: 'viewers', [EVERYONE]: null })
    expect([await roleOf(dan), await roleOf(undefined)]).toEqual([undefined, Role.VIEWERS])
  })

  it('changes whole or not at all', async () => {
    await expect(
      share(alice, document(), {
        [bob.email]: 'editors',
        'new@example.com': 'viewers',
        'not-an-email': 'viewers',
      }),
    ).rejects.toMatchObject({
      code: 'invalid',
      message: 'Invalid email address included',
      metadata: { field: 'delta.users', email: 'not-an-email' },
    })
    await expect(
      share(alice, document(), { 'new@example.com': 'viewers', [EVERYONE]: 'owners' }, 'viewers'),
    ).rejects.toMatchObject({ code: 'invalid' })
    expect(await directory.listed(alice, document())).toMatchObject({
      users: ['alice owners owners'],
      cap: 'owners',
    })
    expect(
      (await directory.query(`select 1 from directory.users where email = 'new@example.com'`)).rows,
    ).toEqual([])
    expect(await directory.auditOf('document', await documentId())).toEqual([])
  })

  it('refuses a role that is none', async () => {
    const change = async (role: number, maxInheritedRole?: number) =>
      directory.clients.access.updateAccess(
        {
          resource: { resource: document(), site: '' },
          changes: [{ email: bob.email, role }],
          maxInheritedRole,
        },
        await directory.as(alice),
      )
    for (const [role, cap] of [
      [77],
      [-1],
      [Role.VIEWERS, 77],
      [Role.VIEWERS, Role.GUESTS],
    ] as const)
      await expect(change(role, cap)).rejects.toMatchObject({ reason: 'INVALID_ROLE' })
    expect(await roleOf(bob)).toBeUndefined()
  })

  it('to what is deleted meanwhile is listed as it was, or not at all, but never half', async () => {
    const call = await directory.as(alice)
    const list = () =>
      directory.clients.access.listAccess({ resource: { resource: document(), site: '' } }, call)
    const before = await list()
    const other = new Client({ connectionString: directory.config.databaseUrl })
    await other.connect()
    try {
      await other.query('begin')
      // The document is found without users; the list of people waits for them, and by then all of it is gone.
      await other.query('lock table directory.users in access exclusive mode')
      const listing = list()
      await eventually(async () => {
        const { rows } = await directory.query(
          `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        )
        return rows.length > 0
      })
      await other.query('delete from directory.orgs where id = $1', [team])
      await other.query('commit')
      expect(await listing).toEqual(before)
    } finally {
      await other.end()
    }
  })

  it('of somebody unknown waits until they sign in', async () => {
    await share(alice, document(), {
      'Some.Body@Example.com': 'editors',
      'nobody@example.com': null,
    })
    expect((await directory.listed(alice, document())).users).toEqual([
      'alice owners owners',
      'some.body editors -',
    ])
    const system = await directory.system()
    const { user, created } = await directory.clients.users.ensureUser(
      { email: 'some.body@example.com', name: 'Some Body' },
      system,
    )
    expect({ created, name: user?.name }).toEqual({ created: false, name: 'Some Body' })
    const erin = await directory.addUser('some.body')
    expect(await roleOf(erin)).toBe(Role.EDITORS)
    const { orgs } = await directory.clients.orgs.listOrgs({ site: '' }, await directory.as(erin))
    expect(orgs.map(({ owner, access }) => [owner?.id, access])).toEqual([
      [erin.id, Role.OWNERS],
      [undefined, Role.GUESTS],
    ])
  })

  it('makes one user and one site of somebody who is invited and signs in many times at once', async () => {
    const email = `many${count}@example.com`
    const system = await directory.system()
    await Promise.all(
      Array.from({ length: 6 }, (_, i) =>
        i % 2 === 0
          ? share(alice, document(), { [email]: 'viewers' })
          : directory.clients.users.ensureUser({ email, name: 'Many' }, system),
      ),
    )
    const { rows } = await directory.query(
      `select u.name from directory.users u join directory.orgs o on o.owner_id = u.id where email = $1`,
      [email],
    )
    expect(rows).toEqual([{ name: 'Many' }])
  })
})
