import type { Migration } from '@sheaf/kit/postgres/database'
import { sql, type Transaction } from 'kysely'

const columns = `doc_id, org_id, workspace_id, workspace_name, name, home, is_pinned, is_inherited, deleted_by`
const actor = `(select u.id from users u where u.id = nullif(current_setting('sheaf_directory.actor', true), '')::integer)`
const values = (workspace: string) =>
  `d.doc_id, d.org_id, d.workspace_id, coalesce(${workspace}.name, ''), d.name, d.home, d.pinned is not null,
    coalesce(d.max_inherited_role = 'owners' and ${workspace}.max_inherited_role = 'owners', false), ${actor}`

const statements = [
  `alter table documents add column pinned text check (pinned in ('waiting'))`,
  `create index documents_pinned on documents (home, id) where pinned is not null`,

  // As of 016, with the pin: the file of a document that was deleted with it is on that instance alone, too.
  `alter table deleted_documents add column is_pinned boolean not null default false`,
  `create or replace function note_deleted_documents() returns trigger language plpgsql set search_path from current as $$
  begin
    insert into deleted_documents (${columns})
    select ${values('w')} from deleted d left join workspaces w on w.id = d.workspace_id
    where d.published_at is not null
    on conflict (doc_id) do nothing;
    return null;
  end $$`,
  `create or replace function note_documents_of_workspace() returns trigger language plpgsql set search_path from current as $$
  begin
    insert into deleted_documents (${columns})
    select ${values('old')} from documents d
    where d.workspace_id = old.id and d.published_at is not null
    on conflict (doc_id) do nothing;
    return old;
  end $$`,
]

/** Adds the mark of documents that are on the disk of their instance alone, though it is replicated. */
export const pinnedDocuments: Migration = {
  name: '017-pinned-documents',
  async up(db: Transaction<unknown>) {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
