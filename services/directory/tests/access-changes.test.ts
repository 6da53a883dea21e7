import { roleFromWire, type RoleName } from '@sheaf/kit/roles'
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
  let count = 0
  beforeAll(async () => {
    directory = await TestDirectory.start()
    for (const name of ['alice', 'bob', 'carol'] as const)
      people[name] = await directory.addUser(name)
  })
  afterAll(() => directory[Symbol.asyncDispose]())

  const emailOf = (name: Name) =>
    name === 'anon' || name === 'everyone' ? `${name}@getgrist.com` : `${name}@example.com`
  const userOf = (name: Name) => (name === 'anon' || name === 'everyone' ? undefined : people[name])
  const callers = names.filter((name) => name !== 'everyone')

  /** A new tree of the form that the model has. */
  async function plant(): Promise<Resource[]> {
    const { alice } = people
    // An instance that has not reported for a while gets no new documents.
    await directory.addHome()
    const org = await directory.createOrg(alice, `tree${count++}`)
    const tree: Resource[] = [{ $case: 'org', value: String(org) }]
    for (let i = 0; i < 2; i++)
      tree.push({ $case: 'workspaceId', value: await directory.createWorkspace(alice, org) })
    for (const workspace of tree.slice(1))
      for (let i = 0; i < 2; i++) {
        const docId = await directory.createDocument(alice, Number(workspace?.value))
        tree.push({ $case: 'document', value: docId })
      }
    return tree
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

  /** What everybody may do with every document, as access is decided. */
  async function resolved(
    tree: readonly Resource[],
  ): Promise<Record<string, RoleName | undefined>> {
    const found: Record<string, RoleName | undefined> = {}
    await Promise.all(
      tree.flatMap((resource, target) =>
        callers.map(async (name) => {
          if (resource?.$case !== 'document') return
          const request = { document: resource.value }
          const answer = await unlessRefused(directory.resolve(userOf(name), request))
          found[`${name} ${target}`] = roleFromWire(answer?.document?.role ?? 0)
        }),
      ),
    )
    return found
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

  async function checkAll(tree: readonly Resource[], model: AccessModel): Promise<void> {
    await Promise.all(
      tree.map(async (resource, target) => {
        for (const name of callers)
          expect(`${name} ${target} ${await described(name, resource)}`).toBe(
            `${name} ${target} ${expectedDescription(model, name, target)}`,
          )
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
      fc.asyncProperty(fc.array(change, { minLength: 4, maxLength: 14 }), async (changes) => {
        const tree = await plant()
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
          const wanted = Object.fromEntries(
            parents.flatMap((_, document) =>
              document < 3
                ? []
                : callers.map((name) => [`${name} ${document}`, model.role(name, document)]),
            ),
          )
          expect(await resolved(tree)).toEqual(wanted)
        }
        await checkAll(tree, model)
      }),
      { numRuns: 10 },
    )
    // Or the test would have compared nothing with nothing.
    expect(made).toBeGreaterThan(25)
    expect(refused).toBeGreaterThan(10)
  })
})
