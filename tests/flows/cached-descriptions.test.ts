import { createRest, type Rest } from '@sheaf/testkit/rest'
import { startSheaf, type RunningSheaf, type SheafUser } from '@sheaf/testkit/sheaf'
import { startSecondGateway, type SecondGateway } from '../support/second-gateway'
import { homeWorkspace } from '../support/system'

interface Described {
  readonly name: string
  readonly workspace: { readonly org: { readonly name: string } }
}

describe('the description of a document, which gateways cache', () => {
  let sheaf: RunningSheaf
  let second: SecondGateway
  let dan: SheafUser
  /** The owner and dan, at both gateways. */
  let owners: [Rest, Rest]
  let guests: [Rest, Rest]
  let sites = 0

  beforeAll(async () => {
    sheaf = await startSheaf({ env: { SHEAF_RATE_LIMIT: '0' } })
    second = await startSecondGateway(sheaf)
    dan = await sheaf.createUser('dan@example.com', 'Dan')
    const urls = [sheaf.url, second.url] as const
    owners = [createRest(urls[0], sheaf.ownerKey), createRest(urls[1], sheaf.ownerKey)]
    guests = [createRest(urls[0], dan.key), createRest(urls[1], dan.key)]
  })
  afterAll(async () => {
    await second?.[Symbol.asyncDispose]()
    await sheaf?.[Symbol.asyncDispose]()
  })

  /** A document that dan may view, in a workspace of a site that dan may not. */
  async function makeDocument(site = `site-${++sites}`) {
    const [owner] = owners
    await owner.post('/api/orgs', { body: { name: site, domain: site } })
    const listing = await owner.get<{ id: number }[]>('/api/orgs/current/workspaces', { site })
    const workspace = listing.body[0]?.id ?? 0
    const body = { name: 'Before', urlId: `url-${site}` }
    const made = await owner.post<string>(`/api/workspaces/${workspace}/docs`, { body })
    const doc = `/api/docs/${made.body}`
    await expectDone(owner, 'patch', `${doc}/access`, {
      delta: { users: { [dan.email]: 'viewers' } },
    })
    return { site, workspace, docId: made.body, doc, urlId: body.urlId }
  }

  async function expectDone(
    rest: Rest,
    method: 'post' | 'patch' | 'delete',
    path: string,
    body?: unknown,
  ) {
    const { status, text } = await rest[method](path, { body })
    if (status !== 200) throw new Error(`${path} answered ${status}: ${text}`)
  }

  const describeBy = async (rest: Rest, path: string): Promise<unknown> => {
    const { status, body } = await rest.get(path)
    return status === 200 ? body : status
  }

  /** Reads at both gateways, as both users, so that they cache it; then changes it at one and reads at both. */
  async function readAround(
    path: string,
    change: (rest: Rest) => Promise<void>,
  ): Promise<{ before: unknown[]; after: unknown[] }> {
    const all = [...owners, ...guests] as const
    const readAll = () => Promise.all(all.map((rest) => describeBy(rest, path)))
    await readAll()
    const before = await readAll()
    await change(owners[0])
    // The other gateway first: it is told of the change by directory alone.
    const [, there, , guestThere] = all
    const first = [await describeBy(there, path), await describeBy(guestThere, path)]
    const after = await readAll()
    expect([after[1], after[3]]).toEqual(first)
    return { before, after }
  }

  /** Checks that both users see a part of the description change at both gateways. */
  async function expectSeen(
    path: string,
    change: (rest: Rest) => Promise<void>,
    [before, after]: readonly [object, object],
  ): Promise<void> {
    const seen = await readAround(path, change)
    for (const each of seen.before) expect(each).toMatchObject(before)
    for (const each of seen.after) expect(each).toMatchObject(after)
  }

  it('shows name, pin and url id as they were changed through any gateway', async () => {
    const { doc } = await makeDocument()
    const patch = (body: object) => (rest: Rest) => expectDone(rest, 'patch', doc, body)
    await expectSeen(doc, patch({ name: 'After' }), [{ name: 'Before' }, { name: 'After' }])
    await expectSeen(doc, patch({ isPinned: true }), [{ isPinned: false }, { isPinned: true }])
    await expectSeen(doc, patch({ urlId: 'changed' }), [{}, { urlId: 'changed' }])
    const unpin = (rest: Rest) => expectDone(rest, 'patch', `${doc}/unpin`)
    await expectSeen(doc, unpin, [{ isPinned: true }, { isPinned: false }])
  })

  it('shows workspace and site as they were renamed', async () => {
    const { doc, workspace, site } = await makeDocument()
    const nameOf = (name: string) => ({ workspace: { name } })
    const rename = (rest: Rest) =>
      expectDone(rest, 'patch', `/api/workspaces/${workspace}`, { name: 'Desk' })
    await expectSeen(doc, rename, [nameOf('Home'), nameOf('Desk')])
    const siteOf = (org: object) => ({ workspace: { org } })
    const patchSite = (body: object) => async (rest: Rest) => {
      const { status } = await rest.patch('/api/orgs/current', { body, site })
      expect(status).toBe(200)
    }
    await expectSeen(doc, patchSite({ name: 'Firm' }), [
      siteOf({ name: site }),
      siteOf({ name: 'Firm' }),
    ])
    const domain = `${site}-moved`
    await expectSeen(doc, patchSite({ domain }), [siteOf({ domain: site }), siteOf({ domain })])
  })

  it('shows the owner of a personal site as they renamed themselves', async () => {
    const [owner] = owners
    const path = `/api/workspaces/${await homeWorkspace(owner)}/docs`
    const { body: docId } = await owner.post<string>(path, { body: {} })
    const doc = `/api/docs/${docId}`
    await expectDone(owner, 'patch', `${doc}/access`, {
      delta: { users: { [dan.email]: 'viewers' } },
    })
    const rename = (rest: Rest) =>
      expectDone(rest, 'post', '/api/profile/user/name', { name: 'Eve' })
    const ownerOf = (shown: object) => ({ workspace: { org: { owner: shown } } })
    await expectSeen(doc, rename, [ownerOf({}), ownerOf({ name: 'Eve' })])
  })

  it('shows roles as they were granted and revoked, at each level', async () => {
    const { doc, workspace, site } = await makeDocument()
    const grant =
      (role: string | null, path = doc) =>
      (rest: Rest) =>
        expectDone(rest, 'patch', `${path}/access`, { delta: { users: { [dan.email]: role } } })
    const accessOf = async (change: (rest: Rest) => Promise<void>) => {
      const { after } = await readAround(doc, change)
      const [here, there] = after.slice(2) as { access: string; workspace: { access: string } }[]
      expect(there).toEqual(here)
      return typeof here === 'object' ? [here.access, here.workspace.access] : here
    }
    expect(await accessOf(grant('editors'))).toEqual(['editors', 'viewers'])
    expect(await accessOf(grant('editors', `/api/workspaces/${workspace}`))).toEqual([
      'editors',
      'editors',
    ])
    expect(await accessOf(grant('owners', `/o/${site}/api/orgs/current`))).toEqual([
      'owners',
      'owners',
    ])
    const cap = (rest: Rest) =>
      expectDone(rest, 'patch', `${doc}/access`, { delta: { maxInheritedRole: 'viewers' } })
    expect(await accessOf(cap)).toEqual(['editors', 'owners'])
    expect(await accessOf(grant(null, `/o/${site}/api/orgs/current`))).toBe(403)
  })

  it('shows where a document was moved', async () => {
    const { doc } = await makeDocument()
    const other = await makeDocument()
    const move = (rest: Rest) =>
      expectDone(rest, 'patch', `${doc}/move`, { workspace: other.workspace })
    const at = (workspace: object) => ({ workspace })
    await expectSeen(doc, move, [at({}), at({ id: other.workspace, org: { domain: other.site } })])
  })

  it('shows what was put in the trash, taken out of it, and deleted', async () => {
    const { doc, workspace } = await makeDocument()
    const post = (path: string) => (rest: Rest) => expectDone(rest, 'post', path)
    const statuses = async (path: string, change: (rest: Rest) => Promise<void>) => {
      const { before, after } = await readAround(path, change)
      const summary = (all: unknown[]) => [
        ...new Set(all.map((each) => (typeof each === 'number' ? each : 200))),
      ]
      return [summary(before), summary(after)]
    }
    expect(await statuses(doc, post(`${doc}/remove`))).toEqual([[200], [404]])
    const trashed = `${doc}?showRemoved=1`
    const { before, after } = await readAround(trashed, post(`${doc}/unremove`))
    for (const each of before) expect(each).toHaveProperty('removedAt')
    for (const each of after) expect(each).not.toHaveProperty('removedAt')
    expect(await statuses(doc, post(`/api/workspaces/${workspace}/remove`))).toEqual([[200], [404]])
    expect(await statuses(doc, post(`/api/workspaces/${workspace}/unremove`))).toEqual([
      [404],
      [200],
    ])
    const remove = (rest: Rest) => expectDone(rest, 'delete', doc)
    expect(await statuses(trashed, remove)).toEqual([[200], [404]])
  })

  it('is shown in the listing of its site as it is now, with all that was added to it', async () => {
    const { site, workspace, doc } = await makeDocument()
    const path = `/o/${site}/api/orgs/current/workspaces`
    const namesOf = (all: unknown[]) =>
      all
        .slice(0, 2)
        .map((listed) =>
          (listed as { name: string; docs: { name: string }[] }[]).map(({ name, docs }) => [
            name,
            ...docs.map((each) => each.name),
          ]),
        )
    const seen = async (change: (rest: Rest) => Promise<void>, ...now: string[][]) => {
      const { after } = await readAround(path, change)
      expect(namesOf(after)).toEqual([now, now])
    }
    const make = (name: string) => (rest: Rest) =>
      expectDone(rest, 'post', `/api/workspaces/${workspace}/docs`, { name })
    await seen(make('Added'), ['Home', 'Before', 'Added'])
    await seen(
      (rest) => expectDone(rest, 'patch', doc, { name: 'After' }),
      ['Home', 'After', 'Added'],
    )
    const removeDoc = (rest: Rest) => expectDone(rest, 'delete', doc)
    await seen(removeDoc, ['Home', 'Added'])
    // As many as before.
    await seen(make('Again'), ['Home', 'Added', 'Again'])
    const addWorkspace = (rest: Rest) =>
      expectDone(rest, 'post', `/o/${site}/api/orgs/current/workspaces`, { name: 'Zoo' })
    await seen(addWorkspace, ['Home', 'Added', 'Again'], ['Zoo'])
    const rename = (rest: Rest) =>
      expectDone(rest, 'patch', `/api/workspaces/${workspace}`, { name: 'Desk' })
    await seen(rename, ['Desk', 'Added', 'Again'], ['Zoo'])
  })

  it('is that of the document which a url id means now', async () => {
    const { urlId, docId } = await makeDocument()
    const path = `/api/docs/${urlId}`
    const own = await homeWorkspace(owners[0])
    const add = (rest: Rest) =>
      expectDone(rest, 'post', `/api/workspaces/${own}/docs`, { name: 'Own', urlId })
    const { before, after } = await readAround(path, add)
    expect(before[0]).toMatchObject({ uuid: docId, name: 'Before' })
    for (const each of after.slice(0, 2)) expect(each).toMatchObject({ name: 'Own' })
    for (const each of after.slice(2)) expect(each).toMatchObject({ uuid: docId })
  })

  it('ends with the key of its reader', async () => {
    const { doc } = await makeDocument()
    const { body: key } = await owners[0].post<{ id: number; key: string }>(
      '/api/profile/apikeys',
      {
        body: { name: 'short' },
      },
    )
    const [here, there] = [createRest(sheaf.url, key.key), createRest(second.url, key.key)]
    for (const rest of [here, there, here, there])
      expect(((await describeBy(rest, doc)) as Described).name).toBe('Before')
    await expectDone(owners[0], 'delete', `/api/profile/apikeys/${key.id}`)
    expect([await describeBy(there, doc), await describeBy(here, doc)]).toEqual([401, 401])
  })
})
