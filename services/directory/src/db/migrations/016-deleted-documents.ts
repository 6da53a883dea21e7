import type { Migration } from '@sheaf/kit/postgres/database'
import { sql, type Transaction } from 'kysely'

const columns = `doc_id, org_id, workspace_id, workspace_name, name, home, is_inherited, deleted_by`
const actor = `(select u.id from users u where u.id = nullif(current_setting('sheaf_directory.actor', true), '')::integer)`
const values = (workspace: string) =>
  `d.doc_id, d.org_id, d.workspace_id, coalesce(${workspace}.name, ''), d.name, d.home,
    coalesce(d.max_inherited_role = 'owners' and ${workspace}.max_inherited_role = 'owners', false), ${actor}`

const statements = [
  // Without references to orgs and workspaces, which may be deleted with the document or after it.
  `create table deleted_documents (
    doc_id uuid primary key,
    org_id integer not null,
    workspace_id integer not null,
    workspace_name text not null,
    name text not null,
    home text not null,
    is_inherited boolean not null,
    deleted_by integer references users on delete set null,
    deleted_at timestamptz not null default now()
  )`,
  `create index deleted_documents_org on deleted_documents (org_id, deleted_at, doc_id)`,
  `create index deleted_documents_time on deleted_documents (deleted_at, doc_id)`,
  `create index deleted_documents_user on deleted_documents (deleted_by) where deleted_by is not null`,

  // Triggers, so that no deletion is forgotten, cascades included. A document that was never published has nothing to keep.
  `create function note_deleted_documents() returns trigger language plpgsql set search_path from current as $$
  begin
    insert into deleted_documents (${columns})
    select ${values('w')} from deleted d left join workspaces w on w.id = d.workspace_id
    where d.published_at is not null
    on conflict (doc_id) do nothing;
    return null;
  end $$`,
  `create trigger documents_noted after delete on documents
   referencing old table as deleted for each statement execute function note_deleted_documents()`,

  // The documents of a workspace are deleted when its row is gone, and with it the name.
  `create function note_documents_of_workspace() returns trigger language plpgsql set search_path from current as $$
  begin
    insert into deleted_documents (${columns})
    select ${values('old')} from documents d
    where d.workspace_id = old.id and d.published_at is not null
    on conflict (doc_id) do nothing;
    return old;
  end $$`,
  `create trigger workspaces_noted before delete on workspaces
   for each row execute function note_documents_of_workspace()`,
]

/** Adds the documents that were deleted permanently and can be made again. */
export const deletedDocuments: Migration = {
  name: '016-deleted-documents',
  async up(db: Transaction<unknown>) {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
