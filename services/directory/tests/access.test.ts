import { createTokenVerifier } from '@sheaf/auth/caller-token'
import { DOCUMENT_PROTOCOL } from '@sheaf/protos/protocol'
import { Role, type ResolveAccessRequest } from '@sheaf/protos/sheaf/directory/v1/access'
import { roleFromWire } from '@sheaf/auth/roles'
import fc from 'fast-check'
import type { JSONWebKeySet } from 'jose'
import { effectiveRole, type DirectRole, type RoleCap } from '../src/access/roles'
import { resolveRequest, SERVICE_KEY, TestDirectory, type TestUser } from './test-directory'

describe('resolveAccess', () => {
  let directory: TestDirectory
  let alice: TestUser
  let bob: TestUser
  let carol: TestUser
  let dan: TestUser
  let team: number
  let workspace: number
  let doc: string
  beforeAll(async () => {
    directory = await TestDirectory.start()
    ;[alice, bob, carol, dan] = await directory.addUsers('alice', 'bob', 'carol', 'dan')
    await directory.addHome()
    team = await directory.createOrg(alice, 'bench')
    workspace = await directory.createWorkspace(alice, 'bench')
    doc = await directory.createDocument(alice, workspace, { urlId: 'shared' })
    await directory.grantDocument(doc, bob, 'editors')
    await directory.grantDocument(doc, carol, 'viewers')
  })
  afterAll(() => directory[Symbol.asyncDispose]())

  const resolve = (user: TestUser | undefined, request: Partial<ResolveAccessRequest>) =>
    directory.resolve(user, request)
  const notFound = { code: 'not_found', message: 'document not found' }

  it('tells role, home and address, and signs them', async () => {
    const answer = await resolve(bob, { document: doc })
    expect(answer.document).toEqual({
      docId: doc,
      role: Role.EDITORS,
      unscopedRole: Role.EDITORS,
      home: 'document-data-0',
      homeAddress: 'document-data-0.test:8486',
      homeProtocol: DOCUMENT_PROTOCOL,
      assignment: 0,
    })
    const { jwks } = await directory.clients.access.listVerificationKeys({})
    const verifier = createTokenVerifier(() => Promise.resolve(JSON.parse(jwks) as JSONWebKeySet))
    expect(await verifier.verify(answer.token)).toEqual({
      userId: bob.id,
      email: 'bob@example.com',
      name: 'bob',
      anonymous: false,
      system: false,
      docId: doc,
      role: 'editors',
      home: 'document-data-0',
      assignment: 0,
      keyId: expect.any(Number) as number,
      expiresAt: answer.tokenExpiresAt,
    })
    expect(answer.tokenExpiresAt).toBeGreaterThan(Date.now() + 20_000)
    expect(jwks).not.toContain('"d"')
  })

  it('says which access is missing', async () => {
    const ask = (user: TestUser | undefined, neededRole: Role) =>
      resolve(user, { document: doc, neededRole })
    const refused = (message: string) => ({ code: 'forbidden', message })
    await expect(ask(dan, Role.UNSPECIFIED)).rejects.toMatchObject(refused('No view access'))
    await expect(ask(dan, Role.OWNERS)).rejects.toMatchObject(refused('No view access'))
    await expect(ask(undefined, Role.VIEWERS)).rejects.toMatchObject(refused('No view access'))
    await expect(ask(carol, Role.EDITORS)).rejects.toMatchObject(refused('No write access'))
    await expect(ask(bob, Role.OWNERS)).rejects.toMatchObject(refused('No owner access'))
    for (const [user, role] of [
      [carol, Role.VIEWERS],
      [bob, Role.EDITORS],
      [alice, Role.OWNERS],
    ] as const)
      expect((await ask(user, role)).document?.role).toBe(role)
  })

  it('takes no credential for the anonymous user', async () => {
    const answer = await resolve(undefined, {})
    expect(answer.caller).toMatchObject({ anonymous: true, email: 'anon@getgrist.com' })
    expect(answer.document).toBeUndefined()
  })

  it('gives the service key a system caller, who may open every document', async () => {
    const { access } = directory.clients
    const credential = { $case: 'serviceKey', value: SERVICE_KEY } as const
    const answer = await access.resolveAccess(resolveRequest({ credential, document: doc }))
    expect(answer.caller).toMatchObject({ system: true, userId: 0 })
    expect(answer.document?.role).toBe(Role.OWNERS)
    await expect(
      access.resolveAccess(resolveRequest({ credential: { ...credential, value: 'wrong' } })),
    ).rejects.toMatchObject({ code: 'unauthenticated' })
    await expect(
      directory.clients.orgs.listOrgs({ site: '' }, await directory.system()),
    ).rejects.toMatchObject({ code: 'forbidden' })
  })

  describe('of a user whom the identity provider has verified', () => {
    const ask = (change: object = {}, document = doc) => {
      const value = { email: 'Bob@example.com', expiresAt: Date.now() + 60_000 }
      const credential = {
        $case: 'verifiedUser',
        value: { ...value, serviceKey: SERVICE_KEY, ...change },
      } as const
      return directory.clients.access.resolveAccess(resolveRequest({ credential, document }))
    }

    it('has the roles of the user', async () => {
      const answer = await ask()
      expect(answer.caller).toMatchObject({ userId: bob.id, system: false, anonymous: false })
      expect(answer.document?.role).toBe(Role.EDITORS)
      await expect(ask({ email: 'dan@example.com' })).rejects.toMatchObject({ code: 'forbidden' })
    })

    it('lasts no longer than the access token', async () => {
      const expiresAt = Date.now() + 10_000
      const answer = await ask({ expiresAt })
      expect(answer.keyExpiresAt).toBe(expiresAt)
      expect(answer.tokenExpiresAt).toBeLessThanOrEqual(expiresAt)
      await expect(ask({ expiresAt: Date.now() - 1 })).rejects.toMatchObject({
        reason: 'INVALID_ACCESS_TOKEN',
      })
    })

    it('is for services alone', async () => {
      for (const serviceKey of ['', 'wrong', bob.key])
        await expect(ask({ serviceKey })).rejects.toMatchObject({ reason: 'INVALID_SERVICE_KEY' })
    })

    it('creates nobody', async () => {
      const emails = ['new@example.com', 'everyone@getgrist.com', 'anon@getgrist.com']
      for (const email of emails)
        await expect(ask({ email }, '')).rejects.toMatchObject({ reason: 'NOT_INVITED' })
      await expect(ask({ email: 'no address' })).rejects.toMatchObject({ code: 'invalid' })
      const { rows } = await directory.query('select 1 from directory.users where email = $1', [
        'new@example.com',
      ])
      expect(rows).toEqual([])
    })
  })

  it('refuses a bad key before it looks for the document', async () => {
    const key = `${alice.key.slice(0, -1)}${alice.key.endsWith('0') ? '1' : '0'}`
    await expect(resolve({ ...alice, key }, { document: 'nosuchdocument' })).rejects.toMatchObject({
      code: 'unauthenticated',
      message: 'Bad request: invalid API key',
    })
  })

  it('finds documents by UUID, integer and url id', async () => {
    const { rows } = await directory.query('select id from directory.documents where doc_id = $1', [
      doc,
    ])
    for (const document of [doc, doc.toUpperCase(), String(rows[0]?.id), 'shared'])
      expect((await resolve(bob, { document })).document?.docId).toBe(doc)
    for (const document of ['nosuchdocument00000000', '999999', '9'.repeat(30), 'a b', '\0', 'é'])
      await expect(resolve(bob, { document })).rejects.toMatchObject(notFound)
  })

  it('finds at the address of a team only what belongs to it', async () => {
    await directory.createOrg(dan, 'other')
    for (const document of [doc, 'shared']) {
      for (const site of ['bench', 'Bench', `o-${team}`])
        expect((await resolve(bob, { document, site })).document?.docId).toBe(doc)
      for (const site of ['other', 'nosuchsite', 'a_b', `docs-${alice.id}`])
        await expect(resolve(bob, { document, site })).rejects.toMatchObject(notFound)
    }
    expect((await resolve(bob, { document: doc, site: 'docs' })).document?.docId).toBe(doc)
    await expect(resolve(bob, { document: 'shared', site: 'docs' })).rejects.toMatchObject(notFound)
  })

  it('prefers what the caller can see where one url id stands in several sites', async () => {
    const twin = await directory.createDocument(
      dan,
      await directory.createWorkspace(dan, 'other'),
      { urlId: 'shared' },
    )
    expect((await resolve(bob, { document: 'shared' })).document?.docId).toBe(doc)
    expect((await resolve(dan, { document: 'shared' })).document?.docId).toBe(twin)
    await directory.grantDocument(twin, bob, 'viewers')
    await expect(resolve(bob, { document: 'shared' })).rejects.toMatchObject({
      code: 'invalid',
      reason: 'AMBIGUOUS_DOCUMENT',
    })
    expect((await resolve(bob, { document: 'shared', site: 'other' })).document?.docId).toBe(twin)
    const own = await directory.createDocument(bob, await directory.createWorkspace(bob, 'docs'), {
      urlId: 'shared',
    })
    expect((await resolve(bob, { document: 'shared' })).document?.docId).toBe(own)
  })

  it('follows a new url id and a new domain at once', async () => {
    const id = await directory.createOrg(alice, 'moving')
    const moved = await directory.createDocument(
      alice,
      await directory.createWorkspace(alice, id),
      { urlId: 'first' },
    )
    const call = await directory.as(alice)
    await directory.clients.documents.updateDocument(
      { document: moved, site: '', urlId: 'second' },
      call,
    )
    await directory.clients.orgs.updateOrg(
      { org: { org: 'moving', site: '' }, domain: 'moved' },
      call,
    )
    expect((await resolve(alice, { document: 'second', site: 'moved' })).document?.docId).toBe(
      moved,
    )
    for (const [document, site] of [
      ['first', 'moved'],
      ['second', 'moving'],
    ] as const)
      await expect(resolve(alice, { document, site })).rejects.toMatchObject(notFound)
  })

  it('never lets a token for one document manage keys', async () => {
    const { token } = await resolve(alice, { document: doc })
    await expect(
      directory.clients.keys.listKeys({ userId: alice.id }, { token }),
    ).rejects.toMatchObject({ code: 'forbidden' })
  })

  describe('on any tree', () => {
    const cap = fc.constantFrom<RoleCap[]>('owners', 'editors', 'viewers', null)
    // Mostly none, or roles from above would hardly ever be what counts.
    const mostlyNone = (...roles: DirectRole[]) =>
      fc.oneof(
        { weight: 2, arbitrary: fc.constant<DirectRole>(undefined) },
        { weight: 1, arbitrary: fc.constantFrom(...roles) },
      )
    const below = mostlyNone('owners', 'editors', 'viewers')
    const publicBelow = mostlyNone('editors', 'viewers')
    const member = mostlyNone('owners', 'editors', 'viewers', 'members')
    const publicMember = mostlyNone('editors', 'viewers', 'members')
    const grants = (own: fc.Arbitrary<DirectRole>, open: fc.Arbitrary<DirectRole>) =>
      fc.record({ bob: own, carol: own, anonymous: open, everyone: open })
    const tree = fc.record({
      org: grants(member, publicMember),
      workspace: fc.record({ cap, grants: grants(below, publicBelow) }),
      documents: fc.array(fc.record({ cap, grants: grants(below, publicBelow) }), {
        minLength: 1,
        maxLength: 3,
      }),
    })
    const unlessForbidden = <T>(answer: Promise<T>) =>
      answer.catch((error: { code: string }) => {
        if (error.code !== 'forbidden') throw error
        return undefined
      })
    type Grants = Record<'bob' | 'carol' | 'anonymous' | 'everyone', DirectRole>
    const counted = (given: Grants, name: keyof Grants) => [given[name], given.everyone]

    it('gives the role that the model gives', async () => {
      const org = await directory.createOrg(alice, 'tree')
      const ws = await directory.createWorkspace(alice, org)
      const docs = [
        await directory.createDocument(alice, ws),
        await directory.createDocument(alice, ws),
        await directory.createDocument(alice, ws),
      ]
      const { rows } = await directory.query(
        'select id from directory.documents where workspace_id = $1 order by id',
        [ws],
      )
      const users = { bob, carol, anonymous: { id: 1 }, everyone: { id: 2 } }
      const names = Object.keys(users) as (keyof Grants)[]
      const setLevel = (level: 'org' | 'workspace' | 'document', id: number, all: Grants) => {
        const ids = names.map((name) => users[name].id).join()
        const given = names.filter((name) => all[name] !== undefined)
        const values = given.map((name) => `(${id}, ${users[name].id}, '${all[name]}')`)
        return [
          `delete from directory.${level}_grants where ${level}_id = ${id} and user_id in (${ids})`,
          ...(given.length > 0
            ? [`insert into directory.${level}_grants values ${values.join()}`]
            : []),
        ]
      }
      const setCap = (level: 'workspace' | 'document', id: number, to: RoleCap) =>
        `update directory.${level}s set max_inherited_role = ${to ? `'${to}'` : 'null'} where id = ${id}`
      await fc.assert(
        fc.asyncProperty(tree, async (given) => {
          const documents = given.documents.map((of, i) => ({ ...of, id: Number(rows[i]?.id), i }))
          const statements = [
            ...setLevel('org', org, given.org),
            ...setLevel('workspace', ws, given.workspace.grants),
            setCap('workspace', ws, given.workspace.cap),
            ...documents.flatMap((of) => setLevel('document', of.id, of.grants)),
            ...documents.map((of) => setCap('document', of.id, of.cap)),
          ]
          await directory.query(statements.join(';'))
          const check = async (name: 'bob' | 'carol' | 'anonymous', of: (typeof documents)[0]) => {
            const expected = effectiveRole([
              { direct: counted(given.org, name), cap: null },
              { direct: counted(given.workspace.grants, name), cap: given.workspace.cap },
              { direct: counted(of.grants, name), cap: of.cap },
            ])
            const user = name === 'anonymous' ? undefined : users[name]
            const resolved = await unlessForbidden(resolve(user, { document: docs[of.i] }))
            expect(roleFromWire(resolved?.document?.role ?? 0)).toBe(expected)
            const described = await unlessForbidden(
              directory.clients.documents.getDocument(
                { document: docs[of.i] ?? '', site: '' },
                await directory.as(user),
              ),
            )
            expect(roleFromWire(described?.document?.access ?? 0)).toBe(expected)
          }
          await Promise.all(
            documents.flatMap((of) =>
              (['bob', 'carol', 'anonymous'] as const).map((name) => check(name, of)),
            ),
          )
        }),
        { numRuns: 40 },
      )
    })
  })
})
