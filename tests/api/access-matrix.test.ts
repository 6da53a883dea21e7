import { routes } from '@sheaf/gateway/routes/index'
import type { Rest } from '@sheaf/testkit/rest'
import { entries, type Entry, type PathParams } from '../support/access-matrix'
import { roles, startAccessWorld, type AccessRole, type AccessWorld } from '../support/access-world'

let world: AccessWorld
beforeAll(async () => {
  world = await startAccessWorld()
})
afterAll(() => world?.[Symbol.asyncDispose]())

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'

/** What one of them is answered by a route. */
async function ask(
  { method, path }: { method: Method; path: string },
  entry: Entry,
  role: AccessRole,
): Promise<number> {
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
  const reply = await rest[method](url, {
    query,
    // Without it an anonymous write is refused for another reason than who it is from.
    headers: { 'x-requested-with': 'XMLHttpRequest' },
    ...(method !== 'get' && {
      body: typeof body === 'function' ? body(target, params) : (body ?? {}),
    }),
  })
  return reply.status
}

describe('who may do what', () => {
  it.each(routes.map((route) => [`${route.method.toUpperCase()} ${route.path}`, route] as const))(
    '%s answers each role as it should',
    async (_, route) => {
      const entry = entries[route.id]
      if (!entry) throw new Error(`${route.id} has no line in tests/support/access-matrix.ts`)
      const found: Partial<Record<AccessRole, number>> = {}
      for (const role of roles) found[role] = await ask(route, entry, role)
      expect(found).toEqual(entry.statuses)
    },
  )

  it('is said of no route that does not exist', () => {
    const ids = new Set(routes.map(({ id }) => id))
    expect(Object.keys(entries).filter((id) => !ids.has(id))).toEqual([])
  })
})
