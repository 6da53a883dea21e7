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
  /** Seq up to which entries have been matched with the document's webhooks. */
  handled_seq: number
  /** When the log was last read for entries without a message. */
  checked_at: Generated<Date>
  created_at: CreatedAt
  /** When to read the log even without a message; null when nothing is pending. */
  due_at: Date | null
  /** Consecutive failures of reading the log. */
  failures: Generated<number>
}

interface ConsumersTable {
  /** Name of the durable NATS consumer that all instances on this database share. */
  name: string
}

/** Status of a webhook, as shown in its usage. */
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
  /** Null when the table was deleted: no event fires. */
  table_ref: number | null
  ready_ref: number | null
  watched_refs: Generated<number[]>
  /** Seq for which the refs are valid: this and earlier entries do not affect them. */
  refs_seq: number
  enabled: Generated<boolean>
  /** Seq after which entries concern it. */
  after_seq: number
  secret: string
  previous_secret: string | null
  previous_secret_until: Date | null

  /** Events in `events` and in queued deliveries. */
  waiting_count: Generated<number>
  /** Bytes of their bodies. */
  waiting_bytes: Generated<number>
  /** Why it receives, or sends, no more although it is enabled. */
  stopped_reason: string | null
  /** Seq after which entries were not queued. */
  stopped_seq: number | null
  /** The entry, too large for one transaction, that is being queued. */
  partial_seq: number | null
  /** Its last row whose event was queued. */
  partial_row: number | null

  status: Generated<WebhookStatus>
  updated_at: Date | null
  last_success_at: Date | null
  last_failure_at: Date | null
  last_error: string | null
  last_http_status: number | null
  last_batch: ColumnType<StoredBatch | null, string | null, string | null>

  /** Attempts of the current delivery. */
  attempts: Generated<number>
  /** First failure since the last success. */
  failing_since: Date | null
  /** When the failed delivery is retried. */
  retry_at: Date | null
  /** Since when only manual deliveries are sent; null while all are. */
  halted_at: Date | null
  /** When a delivery session is due; null with an empty queue. */
  due_at: Date | null
  /** Until when a delivery session holds it. */
  lease_until: Date | null
  lease_id: string | null

  /** Host and port of the URL. */
  target: GeneratedAlways<string>
  /** Id of the user who created it; null for webhooks of earlier versions. */
  creator: number | null
  /** The network of the address that the last attempt reached; empty before the first one. */
  network: Generated<string>
  /** True when the last attempt took long. */
  slow: Generated<boolean>
}

interface EventsTable {
  webhook_id: string
  seq: number
  /** Order within the entry. */
  row_number: number
  kind: EventKind
  time_ms: number
  traceparent: Generated<string>
  /** The row as JSON, as delivered. */
  body: string
}

interface DeliveriesTable {
  /** Value of the header `webhook-id`. */
  id: string
  webhook_id: string
  /** Queued deliveries are sent in this order, and listed in reverse. */
  position: GeneratedAlways<number>
  created_at: CreatedAt
  state: Generated<'waiting' | 'success' | 'failed'>
  first_seq: Generated<number>
  last_seq: Generated<number>
  size: number
  /** Kinds of its events, sorted and separated by commas; `test` for a test event. */
  kinds: Generated<string>
  /** Requested manually: sent ahead of the queue, and attempted once. */
  by_hand: Generated<boolean>
  /** Time of its first event, epoch milliseconds. */
  time_ms: Generated<number>
  /** Null after it was deleted. */
  body: string | null
  body_bytes: number
  /**
   * W3C traceparents of its events without duplicates, separated by spaces; the first event's is the first.
   */
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
