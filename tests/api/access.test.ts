import type { Rest } from '@sheaf/testkit/rest'
import { emailOf, homeWorkspace, newDocument, useSystem } from '../support/system'

const system = useSystem()

interface Entry {
  readonly email: string
  readonly access: string | null
}

const listed = async (rest: Rest, path: string) => {
  const { body } = await rest.get<{ users: Entry[] }>(`${path}/access`)
  return Object.fromEntries(body.users.map(({ email, access }) => [email, access]))
}
const put = (rest: Rest, path: string, delta: unknown) =>
  rest.patch(`${path}/access`, { body: { delta } })

describe('access', () => {
  it('is shown and changed on a document', async () => {
    const { alice, dan } = system
    const doc = await newDocument(alice.rest)
    const changed = await put(alice.rest, doc, {
      users: { [dan.email]: 'editors' },
      maxInheritedRole: 'viewers',
    })
    expect([changed.status, changed.text]).toEqual([200, 'null'])
    const { body } = await alice.rest.get(`${doc}/access`)
    expect(body).toEqual({
      maxInheritedRole: 'viewers',
      users: [
        {
          id: alice.id,
          email: alice.email,
          name: expect.any(String) as string,
          picture: null,
          access: 'owners',
          parentAccess: 'owners',
          isMember: true,
        },
        {
          id: dan.id,
          email: dan.email,
          name: 'Dan',
          picture: null,
          access: 'editors',
          parentAccess: null,
          isMember: false,
        },
      ],
    })
    expect((await dan.rest.get<{ access: string }>(doc)).body.access).toBe('editors')
    expect((await dan.rest.get(`${doc}/tables`)).status).toBe(200)
    expect((await dan.rest.get(`${doc}/access`)).body).toMatchObject({
      personal: true,
      public: false,
      users: [{ email: alice.email }, { email: dan.email }],
    })
    await put(dan.rest, doc, { users: { [dan.email]: null } })
    expect((await dan.rest.get(`${doc}/tables`)).status).toBe(403)
    expect((await dan.rest.get(`${doc}/access`)).status).toBe(403)
  })

  it('is shown and changed on a workspace and on an org, in every form of their addresses', async () => {
    const { alice, dan } = system
    const { body: org } = await alice.rest.post<number>('/api/orgs', {
      body: { name: 'Bench', domain: 'bench' },
    })
    const { body: workspace } = await alice.rest.post<number>(`/api/orgs/${org}/workspaces`, {
      body: {},
    })
    const path = `/api/workspaces/${workspace}`
    await put(alice.rest, path, { users: { [dan.email]: 'viewers' } })
    expect(await listed(alice.rest, path)).toEqual({
      [alice.email]: 'owners',
      [dan.email]: 'viewers',
    })
    for (const form of [`/api/orgs/${org}`, '/api/orgs/bench', '/o/bench/api/orgs/current'])
      expect(await listed(alice.rest, form)).toEqual({
        [alice.email]: 'owners',
        [dan.email]: 'guests',
      })
    const { body } = await dan.rest.get('/o/bench/api/orgs/current/access')
    expect(body).toMatchObject({ personal: true, users: [{ email: dan.email, access: 'guests' }] })
    expect(
      (await put(alice.rest, '/o/bench/api/orgs/current', { users: { [dan.email]: null } })).status,
    ).toBe(200)
    expect(await listed(alice.rest, path)).toEqual({ [alice.email]: 'owners' })
    expect((await dan.rest.get(path)).status).toBe(403)
  })

  it('of everybody opens a document, unlisted; of the anonymous user it is listed', async () => {
    const { alice, dan, anonymous } = system
    const doc = await newDocument(alice.rest, 'Open')
    await put(alice.rest, doc, { users: { 'everyone@getgrist.com': 'viewers' } })
    for (const rest of [dan.rest, anonymous]) {
      expect((await rest.get(`${doc}/tables`)).status).toBe(200)
      expect(
        (
          await rest.post(`${doc}/tables`, {
            body: { tables: [{ id: 'T', columns: [{ id: 'A' }] }] },
          })
        ).status,
      ).not.toBe(200)
      expect((await rest.get(`${doc}/access`)).body).toMatchObject({
        personal: true,
        public: true,
        users: [],
      })
    }
    const home = `/api/workspaces/${await homeWorkspace(alice.rest)}`
    expect((await anonymous.get(home)).status).toBe(403)
    await put(alice.rest, doc, {
      users: { 'everyone@getgrist.com': null, 'anon@getgrist.com': 'viewers' },
    })
    expect((await anonymous.get(`${doc}/tables`)).status).toBe(200)
    expect((await dan.rest.get(`${doc}/tables`)).status).toBe(403)
    expect((await anonymous.get(home)).body).toMatchObject({ docs: [{ name: 'Open' }] })
    const { body } = await anonymous.get(`${doc}/access`)
    expect(body).toMatchObject({
      public: true,
      users: [{ email: 'anon@getgrist.com', access: 'viewers', anonymous: true }],
    })
  })

  it('of an invited person waits for them', async () => {
    const { alice, sheaf } = system
    const doc = await newDocument(alice.rest)
    await put(alice.rest, doc, { users: { [emailOf('Erin.New')]: 'viewers' } })
    expect(await listed(alice.rest, doc)).toMatchObject({ [emailOf('erin.new')]: 'viewers' })
    const erin = await sheaf.createUser(emailOf('erin.new'), 'Erin')
    expect(erin.name).toBe('Erin')
    const headers = { authorization: `Bearer ${erin.key}` }
    expect((await system.anonymous.get(`${doc}/tables`, { headers })).status).toBe(200)
    const orgs = await system.anonymous.get<{ access: string }[]>('/api/orgs', { headers })
    expect(orgs.body.map(({ access }) => access)).toEqual(['owners', 'viewers'])
  })

  it('is refused with the field at fault, and stays as it was', async () => {
    const { alice, dan, anonymous } = system
    const doc = await newDocument(alice.rest)
    const refused = async (path: string, body: unknown) => {
      const { status, body: answer } = await alice.rest.patch<{
        error: string
        details: { field?: string }
      }>(`${path}/access`, { body })
      return [status, answer.error, answer.details.field]
    }
    const missing = 'Bad request: missing permission delta'
    const invalid = 'Bad request: invalid permission delta'
    const cases: [unknown, string, string][] = [
      [{}, missing, 'delta'],
      [{ delta: null }, missing, 'delta'],
      [{ users: { [dan.email]: 'viewers' } }, missing, 'delta'],
      [{ delta: {} }, invalid, 'delta'],
      [{ delta: 'x' }, invalid, 'delta'],
      [{ delta: { users: [] } }, invalid, 'delta.users'],
      [
        { delta: { users: { [dan.email]: 'kings' } } },
        'Invalid user role kings; allowed: owners, editors, viewers, members or null',
        'delta.users',
      ],
      [
        { delta: { users: { [dan.email]: 'guests' } } },
        'Invalid user role guests; allowed: owners, editors, viewers or null',
        'delta.users',
      ],
      [
        { delta: { users: { [dan.email]: 'members' } } },
        'Invalid user role members; allowed: owners, editors, viewers or null',
        'delta.users',
      ],
      [
        { delta: { maxInheritedRole: 'kings' } },
        'Invalid maxInheritedRole kings; allowed: owners, editors, viewers or null',
        'delta.maxInheritedRole',
      ],
      [
        { delta: { users: { [dan.email]: 'viewers', 'no-email': 'viewers' } } },
        'Invalid email address included',
        'delta.users',
      ],
      [
        { delta: { users: { [alice.email]: 'owners', [dan.email]: 'viewers' } } },
        'Bad request: cannot update own permissions',
        'delta.users',
      ],
      [
        {
          delta: { users: { 'anon@getgrist.com': 'viewers', 'everyone@getgrist.com': 'viewers' } },
        },
        'this user cannot share with everyone and anonymous',
        'delta.users',
      ],
    ]
    for (const [body, message, field] of cases)
      expect(await refused(doc, body)).toEqual([400, message, field])
    const org = '/api/orgs/current'
    expect(await refused(org, { delta: { users: {}, maxInheritedRole: 'viewers' } })).toEqual([
      400,
      invalid,
      'delta.maxInheritedRole',
    ])
    expect(
      await refused(org, { delta: { users: { 'everyone@getgrist.com': 'viewers' } } }),
    ).toEqual([403, 'This user cannot share with everyone at top level', 'delta.users'])
    // People of the site stand in the listing of everything in it.
    const { [alice.email]: own, ...others } = await listed(alice.rest, doc)
    expect([own, ...new Set(Object.values(others))]).toEqual(['owners', null])

    const delta = { users: { [dan.email]: 'owners' } }
    for (const rest of [dan.rest, anonymous]) {
      expect((await put(rest, doc, delta)).status).toBe(403)
      expect((await put(rest, '/api/docs/nosuchdocument', delta)).status).toBe(404)
      expect((await put(rest, '/api/workspaces/999999', delta)).status).toBe(404)
      expect((await put(rest, '/api/orgs/nosuchsite', delta)).status).toBe(404)
    }
    expect((await put(alice.rest, '/api/workspaces/abc', delta)).status).toBe(400)
  })
})
