import { routes } from '@sheaf/gateway/routes/index'
import { hasDryRun } from '@sheaf/gateway/routing/route'
import type { Rest } from '@sheaf/testkit/rest'
import { entries, type Entry, type PathParams } from '../support/access-matrix'
import { roles, startAccessWorld, type AccessRole, type AccessWorld } from '../support/access-world'

let world: AccessWorld
beforeAll(async () => {
  world = await startAccessWorld()
})
afterAll(() => world?.[Symbol.asyncDispose]())

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'

/** What one of them is answered by a route; `added` is added to the query. */
async function ask(
  { method, path }: { method: Method; path: string },
  entry: Entry,
  role: AccessRole,
  added: Entry['query'] = {},
) {
  // Who is refused takes nothing away, so only the others need something of their own.
  const needsOwn = entry.fresh === true && entry.statuses[role] === 200
  const target = needsOwn ? await world.createTarget() : world.target
  const own = await entry.params?.(world, role)
  const params: PathParams = { ...target, tableId: 'T', colId: 'A', ...own }
  const url = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name]
    if (value === undefined) throw new Error(`the entry has no ${name}`)
    return encodeURIComponent(value)
  })
  const rest: Rest = world.rest[role]
  const { body, query } = entry
  return await rest[method](url, {
    query: { ...query, ...added },
    // Without it an anonymous write is refused for another reason than who it is from.
    headers: { 'x-requested-with': 'XMLHttpRequest' },
    ...(method !== 'get' && {
      body: typeof body === 'function' ? body(target, params) : (body ?? {}),
    }),
  })
}

/** The line of a route. */
function entryOf({ id }: { id: string }): Entry {
  const entry = entries[id]
  if (!entry) throw new Error(`${id} has no line in tests/support/access-matrix.ts`)
  return entry
}

describe('who may do what', () => {
  it.each(routes.map((route) => [`${route.method.toUpperCase()} ${route.path}`, route] as const))(
    '%s answers each role as it should',
    async (_, route) => {
      const entry = entryOf(route)
      const found: Partial<Record<AccessRole, number>> = {}
      for (const role of roles) found[role] = (await ask(route, entry, role)).status
      expect(found).toEqual(entry.statuses)
    },
  )

  it('is said of no route that does not exist', () => {
    const ids = new Set(routes.map(({ id }) => id))
    expect(Object.keys(entries).filter((id) => !ids.has(id))).toEqual([])
  })
})

describe('a dry run', () => {
  const changing = routes.filter(({ method }) => method !== 'get')
  const named = (isSupported: boolean) =>
    changing
      .filter((route) => hasDryRun(route) === isSupported)
      .map((route) => [`${route.method.toUpperCase()} ${route.path}`, route] as const)

  it.each(named(true))('of %s keeps nothing', async (_, route) => {
    const { docId } = world.target
    const read = () => world.rest.owner.get(`/api/docs/${docId}/changes`)
    const entry = entryOf(route)
    // What they name is made before.
    const params = (await entry.params?.(world, 'owner')) ?? {}
    const before = await read()
    const prepared = { ...entry, params: () => Promise.resolve(params) }
    const reply = await ask(route, prepared, 'owner', { dryRun: 'true' })
    expect(reply).toMatchObject({ status: 200, body: { dryRun: true } })
    expect((await read()).body).toEqual(before.body)
  })

  it.each(named(false))('is refused by %s, which has none', async (_, route) => {
    const reply = await ask(route, entryOf(route), 'owner', { dryRun: 'true' })
    const details = { reason: 'INVALID_PARAMETER', parameter: 'dryRun' }
    expect(reply).toMatchObject({ status: 400, body: { details } })
  })
})
