import { sql, type Kysely } from 'kysely'
import type { KeyScopeRow } from './keys'
import type { DirectorySchema } from './schema'

/** A workspace or document of a scope, with its ancestors. */
export interface ScopedPlace {
  readonly orgId: number
  readonly workspaceId: number
  /** Null for a workspace. */
  readonly docId: string | null
}

/** Returns the locations of the workspaces and documents of a scope; deleted ones are omitted. */
export async function findScopedPlaces(
  db: Kysely<DirectorySchema>,
  { workspaces, documents }: KeyScopeRow,
): Promise<ScopedPlace[]> {
  const { rows } = await sql<ScopedPlace>`
    select w.org_id as "orgId", w.id as "workspaceId", null::uuid as "docId"
    from workspaces w where w.id = any(${workspaces}::integer[])
    union all
    select d.org_id, d.workspace_id, d.doc_id
    from documents d where d.doc_id = any(${documents}::uuid[]) and d.published_at is not null`.execute(
    db,
  )
  return rows
}
