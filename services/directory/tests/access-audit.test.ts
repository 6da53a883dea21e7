import { eventually } from '@sheaf/testkit/eventually'
import { TestDirectory, type TestUser } from './test-directory'
import { TestHolder } from './test-holder'

describe('a change of access', () => {
  let directory: TestDirectory
  let alice: TestUser
  let bob: TestUser
  let carol: TestUser
  let team: number
  let doc: string
  let id: number
  let count = 0

  beforeAll(async () => {
    directory = await TestDirectory.start()
    ;[alice, bob, carol] = await directory.addUsers('alice', 'bob', 'carol')
  })
  beforeEach(async () => {
    // An instance that has not reported for a while gets no new documents.
    await directory.addHome()
    team = await directory.createOrg(alice, `team${count++}`)
    doc = await directory.createDocument(alice, await directory.createWorkspace(alice, team))
    id = await directory.documentId(doc)
  })
  afterAll(() => directory[Symbol.asyncDispose]())

  const org = () => ({ $case: 'org', value: String(team) }) as const
  const document = () => ({ $case: 'document', value: doc }) as const
  const share = (...args: Parameters<TestDirectory['share']>) => directory.share(...args)
  const roleOf = (user: TestUser) => directory.roleOf(user, doc)
  const audit = () => directory.auditOf('document', id)

  it('lets a bounded number of people in', async () => {
    await directory.query(
      `with people as (
         insert into directory.users (email, name)
         select 'crowd' || i || '@example.com', '' from generate_series(1, 9999) i returning id
       ) insert into directory.org_grants select ${team}, id, 'members' from people`,
    )
    await expect(share(alice, document(), { [bob.email]: 'viewers' })).rejects.toMatchObject({
      code: 'too_many',
      reason: 'TOO_MANY_PEOPLE',
    })
    expect(await roleOf(bob)).toBeUndefined()
    await share(alice, org(), { 'crowd1@example.com': null })
    await share(alice, document(), { [bob.email]: 'viewers' })
    expect((await directory.listed(alice, document())).users).toHaveLength(10_000)
  })

  it('is written down: who changed what, and when', async () => {
    await share(alice, document(), { [bob.email]: 'viewers' }, 'editors')
    await share(alice, document(), { [bob.email]: 'viewers' }, 'editors')
    await share(alice, document(), { [bob.email]: 'owners', [carol.email]: null })
    expect(await audit()).toEqual([
      'alice role bob - viewers',
      'alice max_inherited_role - owners editors',
      'alice role bob viewers owners',
    ])
    const { rows } = await directory.query(
      `select now() - changed_at < interval '1 minute' as recent, org_id, actor_id, subject_id
       from directory.access_audit where level = 'document' and resource_id = $1 and what = 'role' limit 1`,
      [id],
    )
    expect(rows).toEqual([{ recent: true, org_id: team, actor_id: alice.id, subject_id: bob.id }])
  })

  it('is written down for as long as is set', async () => {
    await share(alice, document(), { [bob.email]: 'viewers', [carol.email]: 'viewers' })
    await directory.query(
      `update directory.access_audit set changed_at = now() - interval '31 days'
       where level = 'document' and resource_id = $1 and subject_id = $2`,
      [id, bob.id],
    )
    await directory.startInstance({ accessAuditDays: 30 })
    await eventually(async () => (await audit()).length === 1)
    expect(await audit()).toEqual(['alice role carol - viewers'])
  })

  it('that changes nothing makes nobody forget, but waits for what has changed it', async () => {
    const holder = new TestHolder(directory.clients.access, await directory.system())
    try {
      await eventually(() => holder.hasLease())
      holder.keepAlive(200)
      holder.cache.set('bob', 'access')
      await share(alice, document(), {})
      await share(alice, document(), { [bob.email]: null }, 'owners')
      expect(holder.recall('bob')).toBe('access')
      await share(alice, document(), { [bob.email]: 'viewers' })
      expect(holder.recall('bob')).toBeUndefined()

      holder.cache.set('bob', 'access')
      holder.frozen = true
      let isFirstDone = false
      const first = share(alice, document(), { [bob.email]: null }).then(() => (isFirstDone = true))
      await eventually(async () => (await roleOf(bob)) === undefined)
      expect(isFirstDone).toBe(false)
      // Nothing is left to do, but a gateway may still go by what was before.
      await share(alice, document(), { [bob.email]: null })
      expect(holder.recall('bob')).toBeUndefined()
      await first
    } finally {
      await holder[Symbol.asyncDispose]()
      await directory.query('delete from directory.access_leases')
    }
  })
})
