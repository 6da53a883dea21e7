import type { Migration } from '@sheaf/kit/postgres/database'
import { sql, type Transaction } from 'kysely'

/** Adds changes of the links of forms to the audit of access changes. */
export const formLinkAudit: Migration = {
  name: '022-form-link-audit',
  async up(db: Transaction<unknown>) {
    await sql`
      alter table access_audit
        add column view_id bigint,
        drop constraint access_audit_what_check,
        drop constraint access_audit_change,
        add constraint access_audit_what_check check (what in
          ('role', 'max_inherited_role', 'form_link_created', 'form_link_renewed', 'form_link_removed')),
        add constraint access_audit_change check (case when starts_with(what, 'form_link_')
          then view_id is not null and old_role is null and new_role is null
          else view_id is null and old_role is distinct from new_role end)`.execute(db)
  },
}
