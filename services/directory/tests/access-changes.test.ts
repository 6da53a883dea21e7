import { roleFromWire, type RoleName } from '@sheaf/auth/roles'
import type { AccessResource } from '@sheaf/protos/sheaf/directory/v1/access'
import fc from 'fast-check'
import {
  AccessModel,
  names,
  ORG,
  parents,
  type Cap,
  type Change,
  type Name,
  type Role,
} from './access-model'
import { TestDirectory, type TestUser } from './test-directory'

type Resource = AccessResource['resource']

describe('changes of access', () => {
  let directory: TestDirectory
  const people = {} as Record<'alice' | 'bob' | 'carol', TestUser>
  let tree: Resource[]
  beforeAll(async () => {
    directory = await TestDirectory.start()
    for (const name of ['alice', 'bob', 'carol'] as const)
      people[name] = await directory.addUser(name)
    tree = await plant()
  })
  afterAll(() => directory[Symbol.asyncDispose]())

  const emailOf = (name: Name) =>
    name === 'anon' || name === 'everyone' ? `${name}@getgrist.com` : `${name}@example.com`
  const userOf = (name: Name) => (name === 'anon' || name === 'everyone' ? undefined : people[name])
  const callers = names.filter((name) => name !== 'everyone')

  /** A tree of the form that the model has. */
  async function plant(): Promise<Resource[]> {
    const { alice } = people
    await directory.addHome()
    const org = await directory.createOrg(alice, 'tree')
    const planted: Resource[] = [{ $case: 'org', value: String(org) }]
    for (let i = 0; i < 2; i++)
      planted.push({ $case: 'workspaceId', value: await directory.createWorkspace(alice, org) })
    for (const workspace of planted.slice(1))
      for (let i = 0; i < 2; i++) {
        const docId = await directory.createDocument(alice, Number(workspace?.value))
        planted.push({ $case: 'document', value: docId })
      }
    return planted
  }

  /** Makes alice the owner of all that is in the tree, and nobody else anything. */
  const reset = (): Promise<unknown> => {
    const all = ['org', 'workspace', 'document'].map(
      (level) => `delete from directory.${level}_grants;
        insert into directory.${level}_grants select id, ${people.alice.id}, 'owners' from directory.${level}s
          ${level === 'org' ? `where domain = 'tree'` : ''};
        ${level === 'org' ? '' : `update directory.${level}s set max_inherited_role = 'owners';`}`,
    )
    return directory.query(all.join(''))
  }

  const unlessRefused = async <T>(answer: Promise<T>): Promise<T | undefined> => {
    try {
      return await answer
    } catch (error) {
      const { code } = error as { code: string }
      if (code === 'forbidden' || code === 'invalid') return undefined
      throw error
    }
  }

  /** What everybody may do with these documents, as access is decided. */
  async function resolved(targets: readonly number[]): Promise<string[]> {
    const ask = async (name: Name, target: number) => {
      const document = String(tree[target]?.value)
      const answer = await unlessRefused(directory.resolve(userOf(name), { document }))
      return `${name} ${target} ${roleFromWire(answer?.document?.role ?? 0)}`
    }
    return Promise.all(targets.flatMap((target) => callers.map((name) => ask(name, target))))
  }

  /** The access that listings and descriptions of orgs, workspaces and documents show to a caller. */
  async function described(
    name: Name,
    resource: Resource,
  ): Promise<RoleName | 'hidden' | undefined> {
    const call = await directory.as(userOf(name))
    const { orgs, workspaces, documents } = directory.clients
    const read = async () => {
      if (resource?.$case === 'org')
        return (await orgs.getOrg({ org: { org: resource.value, site: '' } }, call)).org
      if (resource?.$case === 'workspaceId')
        return (await workspaces.getWorkspace({ workspaceId: resource.value }, call)).workspace
      const document = resource?.value ?? ''
      return (await documents.getDocument({ document, site: '' }, call)).document
    }
    const answer = await unlessRefused(read())
    return answer ? roleFromWire(answer.access) : 'hidden'
  }

  function expectedDescription(model: AccessModel, name: Name, target: number) {
    if (!model.isVisible(name, target)) return 'hidden'
    // Of an org only what is the caller's own is shown.
    const role = target === ORG ? model.ownRole(name, target) : model.role(name, target)
    return role ?? 'guests'
  }

  /** The documents of an org or a workspace that a caller finds in a listing of it, with the access shown. */
  async function listedDocuments(name: Name, resource: Resource): Promise<string[] | 'hidden'> {
    const call = await directory.as(userOf(name))
    const { workspaces } = directory.clients
    const read = async () => {
      if (resource?.$case === 'workspaceId')
        return [(await workspaces.getWorkspace({ workspaceId: resource.value }, call)).workspace]
      const org = { org: String(resource?.value), site: '' }
      return (await workspaces.listWorkspaces({ org }, call)).workspaces
    }
    const found = await unlessRefused(read())
    const indexOf = (docId: string) => tree.findIndex((planted) => planted?.value === docId)
    return (
      found?.flatMap((workspace) =>
        (workspace?.docs ?? []).map(
          ({ docId, access }) => `${indexOf(docId)} ${roleFromWire(access)}`,
        ),
      ) ?? 'hidden'
    )
  }

  /** An org lists what is listed for the caller, a workspace also what they can only open. */
  function expectedDocuments(model: AccessModel, name: Name, target: number): string[] | 'hidden' {
    if (!model.isVisible(name, target)) return 'hidden'
    return model
      .documentsOf(target)
      .sort()
      .flatMap((document) => {
        const [role, listed] = [model.role(name, document), model.listedRole(name, document)]
        const shown = target === ORG ? listed && (role ?? listed) : (role ?? listed)
        return shown ? `${document} ${shown}` : []
      })
  }

  /** The listing as an owner gets it; people without any access may be in it or not. */
  function expectedListing(model: AccessModel, target: number): string[] {
    const parent = parents[target] ?? -1
    return names.flatMap((name) => {
      const isGuest = name !== 'everyone' && model.isGuest(name, target)
      const access = model.direct(name, target) ?? (isGuest ? 'guests' : '-')
      const above = parent === -1 ? undefined : model.ownRole(name, parent)
      const parentAccess = above === undefined || above === 'members' ? '-' : above
      if (access === '-' && parentAccess === '-') return []
      return `${emailOf(name).replace('@example.com', '')} ${access} ${parentAccess}`
    })
  }

  async function checkAll(model: AccessModel): Promise<void> {
    await Promise.all(
      tree.map(async (resource, target) => {
        for (const name of callers)
          expect(`${name} ${target} ${await described(name, resource)}`).toBe(
            `${name} ${target} ${expectedDescription(model, name, target)}`,
          )
        if (resource?.$case !== 'document')
          for (const name of callers)
            expect({ name, target, docs: await listedDocuments(name, resource) }).toEqual({
              name,
              target,
              docs: expectedDocuments(model, name, target),
            })
        const owner = (['alice', 'bob', 'carol'] as const).find(
          (name) => model.role(name, target) === 'owners',
        )
        if (!owner) throw new Error('a resource without an owner')
        const { users } = await directory.listed(people[owner], resource)
        const withAccess = users.filter((user) => !user.endsWith(' - -'))
        expect(withAccess.sort()).toEqual(expectedListing(model, target).sort())
      }),
    )
  }

  const role = fc.constantFrom<(Role | null)[]>(
    'members',
    'viewers',
    'editors',
    'owners',
    'owners',
    null,
    null,
  )
  const cap = fc.constantFrom<Cap[]>('viewers', 'editors', 'owners', null)
  const change: fc.Arbitrary<Change> = fc
    .record({
      // Mostly who owns something, or all would be refused.
      actor: fc.constantFrom<Name[]>('alice', 'alice', 'alice', 'bob', 'bob', 'carol', 'anon'),
      target: fc.nat({ max: parents.length - 1 }),
      roles: fc.dictionary(fc.constantFrom(...names), role, { maxKeys: 2 }),
      cap: fc.option(cap, { nil: undefined, freq: 3 }),
    })
    .map((made) => ({
      ...made,
      cap: made.target === ORG ? undefined : made.cap,
    }))

  it('lead to the roles that the rules give, whatever their order', async () => {
    let made = 0
    let refused = 0
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 4, maxLength: 10 }), async (changes) => {
        await reset()
        const model = new AccessModel()
        for (const { actor, target, roles, cap } of changes) {
          const named = Object.fromEntries(
            Object.entries(roles).map(([name, role]) => [emailOf(name as Name), role]),
          )
          const answer = await unlessRefused(
            directory.share(userOf(actor), tree[target], named, cap).then(() => 'made'),
          )
          const expected = model.apply({ actor, target, roles, cap }) ? 'made' : undefined
          expect(answer).toBe(expected)
          if (answer) made++
          else refused++
          expect(model.ownerless()).toEqual([])
          const documents = model.documentsOf(target)
          expect(await resolved(documents)).toEqual(
            documents.flatMap((document) =>
              callers.map((name) => `${name} ${document} ${model.role(name, document)}`),
            ),
          )
        }
        await checkAll(model)
      }),
      { numRuns: 8 },
    )
    // Or the test would have compared nothing with nothing.
    expect(made).toBeGreaterThan(8)
    expect(refused).toBeGreaterThan(4)
  })
})
