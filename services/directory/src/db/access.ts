import { sql, type Kysely, type RawBuilder } from 'kysely'
import { assignmentColumns } from './assignments'
import { addressCondition, candidateOrder, isRemoved, type DocumentAddress } from './documents'
import { keyScope, type KeyScopeRow } from './keys'
import { sessionEnd } from './sessions'
import { documentRole, joinDocumentGrants } from './grants'
import { ANONYMOUS_ID, type DirectorySchema, type GrantedRole } from './schema'

/** The credential whose access is resolved. */
export type Credential =
  | { readonly kind: 'key' | 'session'; readonly hash: Buffer }
  | { readonly kind: 'verified'; readonly email: string; readonly expiresAt: Date }
  | { readonly kind: 'anonymous' }
  | { readonly kind: 'system' }

/** One access decision: the caller, and one document that the address may name. */
export interface AccessRow {
  readonly userId: number
  readonly kind: 'login' | 'anonymous' | 'system'
  readonly email: string
  readonly name: string
  /** Id of the API key; null for other credentials. */
  readonly keyId: number | null
  readonly keyExpiresAt: Date | null
  readonly keyLastUsedAt: Date | null
  /** Scope of the key; null without a key, and for a key without a scope. */
  readonly scope: KeyScopeRow | null
  /** The access version in the same snapshot. */
  readonly version: number
  /** Null when the address names no document. */
  readonly docId: string | null
  readonly orgId: number | null
  readonly workspaceId: number | null
  readonly role: GrantedRole | null
  readonly ownerId: number | null
  /** True when the document or its workspace is in the trash. */
  readonly isRemoved: boolean
  readonly home: string | null
  readonly homeAddress: string | null
  readonly homeProtocol: number | null
  readonly assignment: number | null
  /** See Assignment. */
  readonly isHomeEnded: boolean
  readonly isPinned: boolean
}

/**
 * Identifies a credential and its user's role on a document, in one statement. No rows: the credential is
 * invalid. Several rows: several sites have this url id.
 */
export async function resolveAccess(
  db: Kysely<DirectorySchema>,
  credential: Credential,
  address: DocumentAddress,
): Promise<AccessRow[]> {
  const user = sql<number>`c.id`
  const { rows } = await sql<AccessRow>`
    select c.id as "userId", c.kind, c.email, c.name, c.key_id as "keyId",
      c.expires_at as "keyExpiresAt", c.last_used_at as "keyLastUsedAt", c.scope, s.version,
      d.doc_id as "docId", d.org_id as "orgId", d.workspace_id as "workspaceId",
      ${documentRole('role')} as role, o.owner_id as "ownerId",
      ${isRemoved} as "isRemoved", ${assignmentColumns}
    from ${callers(credential)} c
    cross join access_state s
    left join (
      documents d join workspaces w on w.id = d.workspace_id join orgs o on o.id = d.org_id
    ) on ${addressCondition(address.ref, address.site, user)}
    left join homes h on h.name = d.home
    ${joinDocumentGrants(user)}
    ${candidateOrder(user)}`.execute(db)
  return rows
}

/** As `resolveAccess`, without a document. */
export async function resolveCaller(
  db: Kysely<DirectorySchema>,
  credential: Credential,
): Promise<AccessRow[]> {
  const { rows } = await sql<AccessRow>`
    select c.id as "userId", c.kind, c.email, c.name, c.key_id as "keyId",
      c.expires_at as "keyExpiresAt", c.last_used_at as "keyLastUsedAt", c.scope, s.version,
      null as "docId", null as "orgId", null as "workspaceId", null as role, null as "ownerId",
      false as "isRemoved", null as home, null as "homeAddress", null as "homeProtocol",
      null as assignment, false as "isHomeEnded", false as "isPinned"
    from ${callers(credential)} c
    cross join access_state s`.execute(db)
  return rows
}

/** SQL: the user of a credential, or no row. */
function callers(credential: Credential): RawBuilder<unknown> {
  const noKey = sql`null::integer as key_id, null::timestamptz as expires_at, null::timestamptz as last_used_at,
    null::json as scope`
  switch (credential.kind) {
    case 'key':
      return sql`(
        select u.id, u.kind, u.email, u.name, k.id as key_id, k.expires_at, k.last_used_at,
          ${keyScope} as scope
        from api_keys k join users u on u.id = k.user_id
        where k.hash = ${credential.hash} and k.revoked_at is null and u.kind = 'login'
          and (k.expires_at is null or k.expires_at > now())
      )`
    case 'session':
      return sql`(
        select u.id, u.kind, u.email, u.name, s.id as key_id, ${sessionEnd} as expires_at,
          s.last_used_at, null::json as scope
        from sessions s join users u on u.id = s.user_id
        where s.hash = ${credential.hash} and ${sessionEnd} > now() and u.kind = 'login'
      )`
    case 'verified':
      return sql`(
        select id, kind, email, name, null::integer as key_id, v.expires_at,
          null::timestamptz as last_used_at, null::json as scope
        from users, (select ${credential.expiresAt}::timestamptz as expires_at) v
        where email = ${credential.email} and kind = 'login' and v.expires_at > now()
      )`
    case 'anonymous':
      return sql`(
        select id, kind, email, name, ${noKey} from users where id = ${sql.lit(ANONYMOUS_ID)}
      )`
    case 'system':
      return sql`(select 0 as id, 'system' as kind, '' as email, '' as name, ${noKey})`
  }
}
