import type { Workspace } from '@sheaf/protos/sheaf/directory/v1/workspaces'
import { TestDirectory, type TestUser } from './test-directory'

/** More rows than a page has; the names of the first ones alone take more than the 4 MiB of a gRPC message. */
const DOCUMENTS = 10_200
const LONG_NAMES = 5_500

describe('a listing that is larger than a gRPC message', () => {
  let directory: TestDirectory
  let alice: TestUser
  let team: number
  let large: number
  beforeAll(async () => {
    directory = await TestDirectory.start()
    alice = await directory.addUser('alice')
    team = await directory.createOrg(alice, 'bench')
    large = await directory.createWorkspace(alice, 'bench', 'large')
    await directory.createWorkspace(alice, 'bench', 'Zoo')
    await directory.query(
      `insert into directory.documents (doc_id, org_id, workspace_id, name, home, published_at)
       select gen_random_uuid(), $1, $2, i || repeat('字', case when i <= $4 then 240 else 0 end), 'none', now()
       from generate_series(1, $3) i`,
      [team, large, DOCUMENTS, LONG_NAMES],
    )
  })
  afterAll(() => directory[Symbol.asyncDispose]())

  const numbersOf = (docs: readonly { name: string }[]) => docs.map(({ name }) => parseInt(name))
  const all = Array.from({ length: DOCUMENTS }, (_, i) => i + 1)

  it('comes in pages: the workspaces of an org', async () => {
    const call = await directory.as(alice)
    const pages: Workspace[][] = []
    let pageToken: string | undefined
    do {
      const page = await directory.clients.workspaces.listWorkspaces(
        { org: { org: 'bench', site: '' }, pageToken },
        call,
      )
      pages.push(page.workspaces)
      pageToken = page.nextPageToken
    } while (pageToken !== undefined)
    expect(pages.length).toBeGreaterThan(1)
    const found = pages.flat()
    expect(numbersOf(found.flatMap(({ docs }) => docs))).toEqual(all)
    const names = found.map(({ name }) => name)
    expect(names.filter((name, i) => name !== names[i - 1])).toEqual(['Home', 'large', 'Zoo'])
  })

  it('comes in pages: the documents of a workspace', async () => {
    const call = await directory.as(alice)
    const numbers: number[] = []
    let pageToken: string | undefined
    do {
      const page = await directory.clients.workspaces.getWorkspace(
        { workspaceId: large, pageToken },
        call,
      )
      numbers.push(...numbersOf(page.workspace?.docs ?? []))
      pageToken = page.nextPageToken
    } while (pageToken !== undefined)
    expect(numbers).toEqual(all)
  })

  it('comes in pages: the orgs of a user, their personal one first', async () => {
    await directory.query(
      `with o as (
         insert into directory.orgs (name) select lpad(i::text, 250, '0') from generate_series(1, 1500) i returning id
       ) insert into directory.org_grants select id, $1, 'viewers' from o`,
      [alice.id],
    )
    const call = await directory.as(alice)
    const names: string[] = []
    let pageToken: string | undefined
    do {
      const page = await directory.clients.orgs.listOrgs({ site: '', pageToken }, call)
      names.push(...page.orgs.map(({ name }) => name))
      pageToken = page.nextPageToken
    } while (pageToken !== undefined)
    expect(names).toHaveLength(1502)
    expect([names[0], parseInt(names[1] ?? ''), names.at(-1)]).toEqual([
      'Personal',
      1,
      'Team bench',
    ])
  })

  it('refuses a page that does not exist', async () => {
    const call = await directory.as(alice)
    const pageToken = 'nonsense'
    await expect(
      directory.clients.orgs.listOrgs({ site: '', pageToken }, call),
    ).rejects.toMatchObject({ code: 'invalid', metadata: { field: 'page_token' } })
  })
})
