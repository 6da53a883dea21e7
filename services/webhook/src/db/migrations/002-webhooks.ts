import type { Migration } from '@sheaf/kit/postgres/database'
import { sql, type Transaction } from 'kysely'

const statements = [
  // Documents with webhooks, and the matching progress of their logs. Matching locks the row.
  `create table documents (
    doc_id uuid primary key,
    handled_seq bigint not null,
    checked_at timestamptz not null default now(),
    created_at timestamptz not null default now(),
    due_at timestamptz,
    failures integer not null default 0
  )`,
  `create index documents_checked on documents (checked_at)`,
  `create index documents_created on documents (created_at)`,
  `create index documents_due on documents (due_at) where due_at is not null`,

  // Several databases may share one NATS; each has its own consumer of all changes.
  `create table consumers (name text not null)`,
  `insert into consumers (name) values ('webhook-' || gen_random_uuid())`,

  // Refs, not names, so that renames need no update. table_ref is null when the table was deleted.
  `create table webhooks (
    id uuid primary key,
    doc_id uuid not null references documents on delete cascade,
    position bigint generated always as identity,
    created_at timestamptz not null default now(),
    unsubscribe_key uuid not null,
    url text not null,
    "authorization" text not null default '',
    name text not null default '',
    memo text not null default '',
    event_types text[] not null,
    table_ref bigint,
    ready_ref bigint,
    watched_refs bigint[] not null default '{}',
    enabled boolean not null default true,
    after_seq bigint not null,
    secret text not null,
    previous_secret text,
    previous_secret_until timestamptz,

    waiting_count bigint not null default 0,
    waiting_bytes bigint not null default 0,
    stopped_reason text,
    stopped_seq bigint,
    partial_seq bigint,
    partial_row integer,

    status text not null default 'idle'
      check (status in ('idle', 'sending', 'retrying', 'postponed', 'error', 'invalid')),
    updated_at timestamptz,
    last_success_at timestamptz,
    last_failure_at timestamptz,
    last_error text,
    last_http_status integer,
    last_batch jsonb,

    attempts integer not null default 0,
    failing_since timestamptz,
    retry_at timestamptz,
    halted_at timestamptz,
    due_at timestamptz,
    lease_until timestamptz,
    lease_id uuid,

    -- Host and port, so that no host takes all places of a sender.
    target text not null
      generated always as (lower(coalesce(substring(url from '^[^:]+://([^/?#]*)'), ''))) stored
  )`,
  `create index webhooks_document on webhooks (doc_id, position)`,
  `create index webhooks_due on webhooks (due_at) where due_at is not null`,

  // Events that are not part of a delivery yet, in the order of the log.
  `create table events (
    webhook_id uuid not null references webhooks on delete cascade,
    seq bigint not null,
    row_number integer not null,
    kind text not null check (kind in ('add', 'update', 'remove')),
    time_ms bigint not null,
    traceparent text not null default '',
    body text not null,
    primary key (webhook_id, seq, row_number)
  )`,

  // Batches, stored once, so that every attempt sends the same bytes under the same id.
  `create table deliveries (
    id text primary key,
    webhook_id uuid not null references webhooks on delete cascade,
    position bigint generated always as identity,
    created_at timestamptz not null default now(),
    state text not null default 'waiting' check (state in ('waiting', 'success', 'failed')),
    first_seq bigint not null default 0,
    last_seq bigint not null default 0,
    size integer not null,
    kinds text not null default '',
    by_hand boolean not null default false,
    time_ms bigint not null default 0,
    body text,
    body_bytes bigint not null,
    traceparent text not null default '',
    attempts integer not null default 0,
    attempted_at timestamptz,
    http_status integer,
    duration_ms integer not null default 0,
    error text,
    response_excerpt text not null default ''
  )`,
  `create index deliveries_newest on deliveries (webhook_id, position desc)`,
  `create index deliveries_waiting on deliveries (webhook_id, position) where state = 'waiting'`,
]

/** Adds webhooks, their event queues and their deliveries. */
export const webhooks: Migration = {
  name: '002-webhooks',
  async up(db: Transaction<unknown>) {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
