import type { Migration } from '@sheaf/kit/postgres/database'
import { sql, type Transaction } from 'kysely'

const statements = [
  `alter table outbox drop constraint outbox_kind_check`,
  `alter table outbox add constraint outbox_kind_check
     check (kind in ('document_deleted', 'document_event', 'access_event'))`,
  `alter table outbox alter column doc_id drop not null`,
  `alter table outbox add column payload jsonb`,
  `alter table outbox add constraint outbox_contents check (
     case when kind = 'document_deleted' then doc_id is not null else payload is not null end)`,

  // Triggers, so that no statement that changes a document or access can forget its event.
  `create function note_document_event() returns trigger language plpgsql set search_path from current as $$
  declare
    d documents;
    what text;
    changed text[] := '{}';
  begin
    if tg_op = 'DELETE' then d := old; else d := new; end if;
    if d.published_at is null then return null; end if;
    if tg_op = 'DELETE' then what := 'DELETED';
    elsif tg_op = 'INSERT' or old.published_at is null then what := 'CREATED';
    elsif old.removed_at is null and new.removed_at is not null then what := 'REMOVED';
    elsif old.removed_at is not null and new.removed_at is null then what := 'RESTORED';
    else
      what := 'UPDATED';
      changed := array_remove(array[
        case when old.name <> new.name then 'name' end,
        case when old.url_id is distinct from new.url_id then 'url_id' end,
        case when old.is_pinned <> new.is_pinned then 'is_pinned' end,
        case when old.workspace_id <> new.workspace_id then 'workspace_id' end
      ], null);
      if cardinality(changed) = 0 then return null; end if;
    end if;
    insert into outbox (consumer, kind, doc_id, home, payload)
    values ('events', 'document_event', d.doc_id, '', jsonb_build_object(
      'id', gen_random_uuid(), 'kind', what, 'docId', d.doc_id, 'documentId', d.id,
      'workspaceId', d.workspace_id, 'orgId', d.org_id, 'changedFields', to_jsonb(changed)));
    return null;
  end $$`,
  `create trigger documents_events
   after insert or delete or update of name, url_id, is_pinned, workspace_id, removed_at, published_at on documents
   for each row execute function note_document_event()`,

  `create function note_access_event() returns trigger language plpgsql set search_path from current as $$
  begin
    insert into outbox (consumer, kind, doc_id, home, payload)
    select 'events', 'access_event', d.doc_id, '', jsonb_build_object(
      'id', gen_random_uuid(), 'level', new.level, 'resourceId', new.resource_id, 'docId', coalesce(d.doc_id::text, ''),
      'orgId', new.org_id, 'what', new.what, 'actorId', new.actor_id, 'subjectId', coalesce(new.subject_id, 0),
      'oldRole', coalesce(new.old_role::text, ''), 'newRole', coalesce(new.new_role::text, ''))
    from (select 1) as one left join documents d on new.level = 'document' and d.id = new.resource_id;
    return null;
  end $$`,
  `create trigger access_audit_events after insert on access_audit
   for each row execute function note_access_event()`,
]

/** Adds events of documents and access to the outbox, for the stream in NATS. */
export const events: Migration = {
  name: '008-events',
  async up(db: Transaction<unknown>) {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
