import { sql, type Transaction } from 'kysely'
import type { Migration } from '@sheaf/kit/postgres/database'

const statements = [
  // Without foreign keys: records outlive their users and resources.
  `create table access_audit (
    id bigint generated always as identity primary key,
    changed_at timestamptz not null default now(),
    request_id text not null,
    actor_id integer not null,
    actor_email text not null,
    org_id integer not null,
    level text not null check (level in ('org', 'workspace', 'document')),
    resource_id integer not null,
    what text not null check (what in ('role', 'max_inherited_role')),
    subject_id integer,
    subject_email text,
    old_role access_role,
    new_role access_role,
    constraint access_audit_subject check ((what = 'role') = (subject_id is not null and subject_email is not null)),
    constraint access_audit_change check (old_role is distinct from new_role)
  )`,
  `create index access_audit_changed_at on access_audit (changed_at)`,
  `create index access_audit_resource on access_audit (level, resource_id)`,
]

/** Adds the audit of access changes. */
export const accessAudit: Migration = {
  name: '003-access-audit',
  async up(db: Transaction<unknown>) {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
