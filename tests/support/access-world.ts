import { openDatabase } from '@sheaf/kit/postgres/database'
import { openWith } from '@sheaf/kit/lifecycle'
import { createLogger } from '@sheaf/kit/logger'
import { createTestDatabase } from '@sheaf/testkit/engines'
import { createRest, type Rest } from '@sheaf/testkit/rest'
import { startSheaf, type RunningSheaf } from '@sheaf/testkit/sheaf'
import { addTable } from './system'

/** Callers with a role on the site, or with none. */
const people = ['owner', 'editor', 'viewer', 'member', 'guest', 'stranger'] as const

/**
 * All callers that a route can meet. Besides people: `reader` is a read-only key of the owner, confined to
 * the workspace; `elsewhere` is one that is confined to another workspace of the site; `revoked` and
 * `expired` are invalid keys.
 */
export const roles = [...people, 'anonymous', 'reader', 'elsewhere', 'revoked', 'expired'] as const

/** One of the callers. */
export type AccessRole = (typeof roles)[number]

/**
 * Objects that a path can name: a site of the owner, a workspace of it, and a document in that workspace with
 * a table `T`.
 */
export interface Target {
  readonly orgId: number
  readonly workspaceId: number
  /** Another workspace of the site. */
  readonly otherWorkspaceId: number
  readonly docId: string
}

/** A Sheaf with all callers. */
export interface AccessWorld extends AsyncDisposable {
  readonly rest: Readonly<Record<AccessRole, Rest>>
  /** The shared target; no test may remove anything from it. */
  readonly target: Target
  /** Another target, on a site of its own where the callers have the same roles. */
  createTarget(): Promise<Target>
}

interface Grants {
  org_grants: { org_id: number; user_id: number; role: string }
  document_grants: { document_id: number; user_id: number; role: string }
  api_keys: { id: number; expires_at: Date }
}

/** Starts a Sheaf and creates the callers and the target. */
export function startAccessWorld(): Promise<AccessWorld> {
  return openWith(async (closer) => {
    const { url: databaseUrl } = closer.use(await createTestDatabase())
    const sheaf = closer.use(await startSheaf({ databaseUrl }))
    const log = createLogger('access-world')
    const db = closer.use(
      openDatabase<Grants>({ url: databaseUrl, schema: 'directory', log, maxConnections: 1 }),
    )
    const ids = new Map<string, number>()
    const rest: Partial<Record<AccessRole, Rest>> = { anonymous: createRest(sheaf.url) }
    for (const person of people) {
      const { id, key } = await sheaf.createUser(`${person}@example.com`, person)
      ids.set(person, id)
      // Not the default keys, since some routes replace and revoke them.
      rest[person] = await withNewKey(sheaf, createRest(sheaf.url, key), {})
    }
    const owner = rest.owner ?? createRest(sheaf.url)
    const userId = (person: string) => ids.get(person) ?? 0

    const createTarget = async (): Promise<Target> => {
      const orgId = (await owner.post<number>('/api/orgs', { body: { name: 'Site' } })).body
      const grants = (['editor', 'viewer', 'member'] as const).map((person) => ({
        org_id: orgId,
        user_id: userId(person),
        role: `${person}s`,
      }))
      await db.insertInto('org_grants').values(grants).execute()
      const workspaceId = await createWorkspace(owner, orgId)
      await shareDocument(await createDoc(owner, workspaceId))
      const docId = await createDoc(owner, workspaceId)
      const doc = `/api/docs/${docId}`
      await addTable(owner, doc, 'T', { A: 'Text' })
      const records = Array.from({ length: 20 }, () => ({ fields: { A: 'a' } }))
      await owner.post(`${doc}/tables/T/records`, { body: { records } })
      const otherWorkspaceId = await createWorkspace(owner, orgId)
      return { orgId, workspaceId, otherWorkspaceId, docId }
    }
    /** Makes the guest a guest of the parent objects. */
    const shareDocument = async (docId: string) => {
      const { id } = (await owner.get<{ id: number }>(`/api/docs/${docId}`)).body
      const grant = { document_id: id, user_id: userId('guest'), role: 'viewers' }
      await db.insertInto('document_grants').values(grant).execute()
    }

    const target = await createTarget()
    const inside = { readOnly: true, workspaces: [target.workspaceId] }
    rest.reader = await withNewKey(sheaf, owner, { scope: inside })
    rest.elsewhere = await withNewKey(sheaf, owner, {
      scope: { workspaces: [target.otherWorkspaceId] },
    })
    const revoked = await createKey(owner, {})
    await owner.delete(`/api/profile/apikeys/${revoked.id}`)
    rest.revoked = createRest(sheaf.url, revoked.key)
    const expired = await createKey(owner, { expiresAt: '2999-12-31' })
    await db
      .updateTable('api_keys')
      .set({ expires_at: new Date(0) })
      .where('id', '=', expired.id)
      .execute()
    rest.expired = createRest(sheaf.url, expired.key)
    return {
      rest: rest as Record<AccessRole, Rest>,
      target,
      createTarget,
      [Symbol.asyncDispose]: () => closer.close(),
    }
  })
}

/** Creates a named key for the caller. */
export async function createKey(
  rest: Rest,
  fields: { expiresAt?: string; scope?: object },
): Promise<{ id: number; key: string }> {
  const body = { name: 'of the tests', ...fields }
  const made = await rest.post<{ id: number; key: string }>('/api/profile/apikeys', { body })
  if (made.status !== 200) throw new Error(`no key: ${made.text}`)
  return made.body
}

async function withNewKey(
  { url }: RunningSheaf,
  rest: Rest,
  fields: { scope?: object },
): Promise<Rest> {
  return createRest(url, (await createKey(rest, fields)).key)
}

async function createWorkspace(rest: Rest, orgId: number): Promise<number> {
  return (await rest.post<number>(`/api/orgs/${orgId}/workspaces`, { body: { name: 'W' } })).body
}

async function createDoc(rest: Rest, workspaceId: number): Promise<string> {
  const path = `/api/workspaces/${workspaceId}/docs`
  return (await rest.post<string>(path, { body: { name: 'D' } })).body
}
