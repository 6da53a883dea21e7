import { sql, type Kysely, type RawBuilder, type Transaction } from 'kysely'
import type { DirectorySchema, GrantedRole, InheritedRole } from './schema'

type Trx = Transaction<DirectorySchema>
type Level = DirectorySchema['access_audit']['level']
type LinkChange = Extract<DirectorySchema['access_audit']['what'], `form_link_${string}`>

/** The user who changes access. */
export interface Actor {
  readonly userId: number
  readonly email: string
  /** Id of the REST request; empty without one. */
  readonly requestId: string
}

/** The resource whose access changes. */
export interface AuditedResource {
  readonly level: Level
  readonly id: number
  readonly orgId: number
}

/** A user's previous and new role; null for none. */
export interface AuditedRole {
  readonly userId: number
  readonly from: GrantedRole | null
  readonly to: GrantedRole | null
}

/** Rows that one statement deletes. */
const BATCH = 10_000

/** SQL: values of the columns `request_id, actor_id, actor_email`, in this order. */
export const actorColumns = ({ requestId, userId, email }: Actor): RawBuilder<unknown> =>
  sql`${requestId}::text, ${userId}::integer, ${email}::text`

/** Records changed roles on one resource. */
export async function auditRoles(
  trx: Trx,
  actor: Actor,
  { level, id, orgId }: AuditedResource,
  changes: readonly AuditedRole[],
): Promise<void> {
  if (changes.length === 0) return
  await sql`
    insert into access_audit (request_id, actor_id, actor_email, org_id, level, resource_id, what,
      subject_id, subject_email, old_role, new_role)
    select ${actorColumns(actor)}, ${orgId}::integer, ${level}::text, ${id}::integer, 'role',
      u.id, u.email, c.old_role, c.new_role
    from unnest(
      ${changes.map(({ userId }) => userId)}::integer[],
      ${changes.map(({ from }) => from)}::access_role[],
      ${changes.map(({ to }) => to)}::access_role[]
    ) as c (user_id, old_role, new_role)
    join users u on u.id = c.user_id`.execute(trx)
}

/** Records a changed cap on inherited roles. */
export async function auditCap(
  trx: Trx,
  actor: Actor,
  { level, id, orgId }: AuditedResource,
  change: { readonly from: InheritedRole; readonly to: InheritedRole },
): Promise<void> {
  await sql`
    insert into access_audit (request_id, actor_id, actor_email, org_id, level, resource_id, what, old_role, new_role)
    values (${actorColumns(actor)}, ${orgId}, ${level}, ${id}, 'max_inherited_role',
      ${change.from}::access_role, ${change.to}::access_role)`.execute(trx)
}

/** Records a changed link of a form. */
export async function auditFormLink(
  trx: Trx,
  actor: Actor,
  { documentId, viewId }: { readonly documentId: number; readonly viewId: number },
  change: LinkChange,
): Promise<void> {
  await sql`
    insert into access_audit (request_id, actor_id, actor_email, org_id, level, resource_id, what, view_id)
    select ${actorColumns(actor)}, d.org_id, 'document', d.id, ${change}::text, ${viewId}::bigint
    from documents d where d.id = ${documentId}`.execute(trx)
}

/** Deletes a batch of records older than this many days; false when none are left. */
export async function deleteOldAudit(db: Kysely<DirectorySchema>, days: number): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    delete from access_audit where id in (
      select id from access_audit where changed_at < now() - make_interval(days => ${days})
      order by changed_at limit ${sql.lit(BATCH)}
    )`.execute(db)
  return numAffectedRows >= BigInt(BATCH)
}
