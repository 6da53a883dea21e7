import type { ColumnType, Generated, GeneratedAlways } from 'kysely'
import type { EventKind } from '../matching/definitions'

export type { EventKind }

type CreatedAt = ColumnType<Date, never, never>

interface TombstonesTable {
  doc_id: string
  deleted_at: CreatedAt
}

interface DocumentsTable {
  doc_id: string
  /** Entries of the log up to this one have been matched with the document's webhooks. */
  handled_seq: number
  /** When the log was last looked at for entries of which no event came. */
  checked_at: Generated<Date>
  created_at: CreatedAt
  /** When to catch up with the log, though no message may tell of it; null when nothing is known to be left. */
  due_at: Date | null
  /** How often catching up has failed since it last did not. */
  failures: Generated<number>
}

interface ConsumersTable {
  /** Name of the durable NATS consumer that all instances on this database share. */
  name: string
}

/** How a webhook fares, as its usage shows it. */
export type WebhookStatus = 'idle' | 'sending' | 'retrying' | 'postponed' | 'error' | 'invalid'

/** The latest attempt of a webhook. */
export interface StoredBatch {
  readonly status: 'success' | 'failure' | 'rejected'
  readonly httpStatus: number | null
  readonly errorMessage: string | null
  readonly size: number
  readonly attempts: number
}

interface WebhooksTable {
  id: string
  doc_id: string
  /** Order of creation. */
  position: GeneratedAlways<number>
  created_at: CreatedAt
  unsubscribe_key: string
  url: string
  authorization: Generated<string>
  name: Generated<string>
  memo: Generated<string>
  event_types: EventKind[]
  /** Null when the table is gone: then no event fires. */
  table_ref: number | null
  ready_ref: number | null
  watched_refs: Generated<number[]>
  /** The refs are as of this entry: what it and earlier ones did to the table does not concern them. */
  refs_seq: number
  enabled: Generated<boolean>
  /** Entries up to this one are not for it. */
  after_seq: number
  secret: string
  previous_secret: string | null
  previous_secret_until: Date | null

  /** Events in `events` and in deliveries that wait. */
  waiting_count: Generated<number>
  /** Bytes of their bodies. */
  waiting_bytes: Generated<number>
  /** Why it takes, or sends, no more although it is enabled. */
  stopped_reason: string | null
  /** Entries after this one were not queued. */
  stopped_seq: number | null
  /** Of this entry, which is too large for one transaction, … */
  partial_seq: number | null
  /** … events up to this row were queued. */
  partial_row: number | null

  status: Generated<WebhookStatus>
  updated_at: Date | null
  last_success_at: Date | null
  last_failure_at: Date | null
  last_error: string | null
  last_http_status: number | null
  last_batch: ColumnType<StoredBatch | null, string | null, string | null>

  /** Attempts of the delivery that is tried now. */
  attempts: Generated<number>
  /** Of the first of the failures that no success has ended. */
  failing_since: Date | null
  /** When the delivery that has failed is tried again. */
  retry_at: Date | null
  /** Since when nothing goes out but what was queued by hand; null while all does. */
  halted_at: Date | null
  /** When a sender has to look at it; null when nothing waits. */
  due_at: Date | null
  /** A sender works on it until then. */
  lease_until: Date | null
  lease_id: string | null

  /** Host and port of the url. */
  target: GeneratedAlways<string>
}

interface EventsTable {
  webhook_id: string
  seq: number
  /** Order within the entry. */
  row_number: number
  kind: EventKind
  time_ms: number
  traceparent: Generated<string>
  /** The row as JSON, as it is delivered. */
  body: string
}

interface DeliveriesTable {
  /** Value of the header `webhook-id`. */
  id: string
  webhook_id: string
  /** Waiting deliveries are sent in this order, and listed the other way round. */
  position: GeneratedAlways<number>
  created_at: CreatedAt
  state: Generated<'waiting' | 'success' | 'failed'>
  first_seq: Generated<number>
  last_seq: Generated<number>
  size: number
  /** Kinds of its events, sorted, with commas; `test` for one that is made up. */
  kinds: Generated<string>
  /** Asked for by somebody: it goes ahead of what waits, and is tried once. */
  by_hand: Generated<boolean>
  /** Time of its first event, epoch milliseconds. */
  time_ms: Generated<number>
  /** Null when it is not kept any more. */
  body: string | null
  body_bytes: number
  /** W3C traceparents of its events, each once, with spaces; the first event's is the first. */
  traceparent: Generated<string>
  attempts: Generated<number>
  attempted_at: Date | null
  http_status: number | null
  duration_ms: Generated<number>
  error: string | null
  response_excerpt: Generated<string>
}

/** The tables of the PostgreSQL schema `webhook`, as Kysely sees them. */
export interface WebhookSchema {
  tombstones: TombstonesTable
  documents: DocumentsTable
  consumers: ConsumersTable
  webhooks: WebhooksTable
  events: EventsTable
  deliveries: DeliveriesTable
}
