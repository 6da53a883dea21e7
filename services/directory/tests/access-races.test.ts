import { eventually } from '@sheaf/testkit/eventually'
import { Client } from 'pg'
import { TestDirectory, type TestUser } from './test-directory'

describe('somebody who is taken out of an org while they add something to it', () => {
  let directory: TestDirectory
  let alice: TestUser
  let bob: TestUser
  let team: number
  let workspaceId: number
  let count = 0

  beforeAll(async () => {
    directory = await TestDirectory.start()
    ;[alice, bob] = await directory.addUsers('alice', 'bob')
  })
  beforeEach(async () => {
    await directory.addHome()
    team = await directory.createOrg(alice, `team${count++}`)
    await directory.grant('org', team, bob, 'editors')
    workspaceId = await directory.createWorkspace(alice, team)
  })
  afterAll(() => directory[Symbol.asyncDispose]())

  /** Asks while a change of access has begun that takes bob out, and lets it end when the request waits for it. */
  async function askMeanwhile(ask: () => Promise<unknown>): Promise<unknown> {
    const other = new Client({ connectionString: directory.config.databaseUrl })
    await other.connect()
    try {
      await other.query('begin')
      await other.query('select 1 from directory.orgs where id = $1 for update', [team])
      await other.query('delete from directory.org_grants where org_id = $1 and user_id = $2', [
        team,
        bob.id,
      ])
      const outcome = ask().catch((error: unknown) => error)
      await eventually(async () => {
        const { rows } = await directory.query(
          `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        )
        return rows.length > 0
      })
      await other.query('commit')
      return await outcome
    } finally {
      await other.end()
    }
  }
  const owned = async () => {
    const { rows } = await directory.query(
      `select x.id from directory.workspace_grants g join directory.workspaces x on x.id = g.workspace_id
         where x.org_id = $1 and g.user_id = $2
       union all
       select x.id from directory.document_grants g join directory.documents x on x.id = g.document_id
         where x.org_id = $1 and g.user_id = $2`,
      [team, bob.id],
    )
    return rows
  }

  it('does not become an owner of a new workspace', async () => {
    const call = await directory.as(bob)
    const outcome = await askMeanwhile(() =>
      directory.clients.workspaces.createWorkspace(
        { org: { org: String(team), site: '' }, name: 'W' },
        call,
      ),
    )
    expect(outcome).toMatchObject({ code: 'forbidden', reason: 'ACCESS_DENIED' })
    expect(await owned()).toEqual([])
  })

  it('does not become an owner of a new document', async () => {
    const call = await directory.as(bob)
    const outcome = await askMeanwhile(() =>
      directory.clients.documents.createDocument({ workspaceId, name: 'D', isPinned: false }, call),
    )
    expect(outcome).toMatchObject({ code: 'forbidden', reason: 'ACCESS_DENIED' })
    expect(await owned()).toEqual([])
  })

  it('does not move a document into it, nor stay its owner there', async () => {
    const home = await directory.createWorkspace(bob, 'current')
    const document = await directory.createDocument(bob, home)
    const call = await directory.as(bob)
    const outcome = await askMeanwhile(() =>
      directory.clients.documents.moveDocument({ document, site: '', workspaceId }, call),
    )
    expect(outcome).toMatchObject({ code: 'forbidden', reason: 'ACCESS_DENIED' })
    expect(await owned()).toEqual([])
  })
})
