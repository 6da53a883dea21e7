import { sql, type Transaction } from 'kysely'
import type { Migration } from '@sheaf/kit/postgres/database'

const statements = [
  `alter table workspaces add column removed_at timestamptz`,
  `alter table documents add column removed_at timestamptz`,
  `create index workspaces_trash on workspaces (removed_at) where removed_at is not null`,
  `create index documents_trash on documents (removed_at) where removed_at is not null`,
  `create index documents_unpublished on documents (created_at) where published_at is null`,

  // Services that keep data of documents and must learn of deletions, each independently.
  `create table outbox_consumers (name text primary key check (length(name) between 1 and 100))`,
  `insert into outbox_consumers (name) values ('document-data')`,

  // One row for each consumer that has not confirmed yet. Claiming a row postpones due_at, which excludes
  // others.
  `create table outbox (
    id bigint generated always as identity primary key,
    consumer text not null,
    kind text not null check (kind in ('document_deleted')),
    doc_id uuid not null,
    home text not null,
    attempts integer not null default 0,
    due_at timestamptz not null default now(),
    created_at timestamptz not null default now()
  )`,
  `create index outbox_due on outbox (due_at)`,

  // A trigger, so that every deletion of a row, cascades included, reaches the other services.
  `create function tell_documents_deleted() returns trigger language plpgsql set search_path from current as $$
  begin
    insert into outbox (consumer, kind, doc_id, home)
    select c.name, 'document_deleted', d.doc_id, d.home from deleted d cross join outbox_consumers c;
    return null;
  end $$`,
  `create trigger documents_deleted after delete on documents
   referencing old table as deleted for each statement execute function tell_documents_deleted()`,
]

/** Adds the trash, and the outbox through which other services learn of deleted documents. */
export const trashOutbox: Migration = {
  name: '002-trash-outbox',
  async up(db: Transaction<unknown>) {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
