import type { Migration } from '@sheaf/kit/postgres/database'
import { sql, type Transaction } from 'kysely'

/** Adds the form to events of changed links of forms. */
export const formLinkEvents: Migration = {
  name: '023-form-link-events',
  async up(db: Transaction<unknown>) {
    await sql`
      create or replace function note_access_event() returns trigger language plpgsql set search_path from current as $$
      begin
        insert into outbox (consumer, kind, doc_id, home, payload)
        select 'events', 'access_event', d.doc_id, '', jsonb_build_object(
          'id', gen_random_uuid(), 'level', new.level, 'resourceId', new.resource_id, 'docId', coalesce(d.doc_id::text, ''),
          'orgId', new.org_id, 'what', new.what, 'actorId', new.actor_id, 'subjectId', coalesce(new.subject_id, 0),
          'oldRole', coalesce(new.old_role::text, ''), 'newRole', coalesce(new.new_role::text, ''),
          'viewId', coalesce(new.view_id, 0))
        from (select 1) as one left join documents d on new.level = 'document' and d.id = new.resource_id;
        return null;
      end $$`.execute(db)
  },
}
