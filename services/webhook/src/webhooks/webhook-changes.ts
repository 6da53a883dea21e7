import { sql } from 'kysely'
import type { NewWebhookRow, WebhookRow, WebhookUpdate } from '../db/webhooks'
import type { DocumentTables, TableRefs } from './document-tables'
import type { NewWebhook, WebhookChange } from './webhook-fields'

/** True when a change cannot be made without the tables of the document, and the state of its log. */
export function needsTables(change: WebhookChange): boolean {
  return namesTables(change) || change.enabled === true
}

/** What is stored for the fields of a new webhook. */
export function toRow(
  webhook: NewWebhook,
  tables: DocumentTables,
): Omit<NewWebhookRow, 'id' | 'unsubscribe_key' | 'secret'> {
  const { url, eventTypes, enabled, name, memo, authorization } = webhook
  const refs = refsToRow(tables.resolve(webhook))
  return { url, event_types: eventTypes, enabled, name, memo, authorization, ...refs }
}

/**
 * What a change does to a stored webhook. One that is set going, or sends elsewhere, tries again at once what waits; one that is
 * set going after it took no events, or gets another table, has those of entries to come. Throws as DocumentTables does.
 */
export function planChange(
  row: WebhookRow,
  change: WebhookChange,
  tables: DocumentTables | undefined,
): WebhookUpdate {
  const { url, eventTypes, enabled, name, memo, authorization } = change
  const refs = tables && namesTables(change) ? planRefs(row, change, tables) : {}
  const set: WebhookUpdate = {
    ...{ url, event_types: eventTypes, enabled, name, memo, authorization },
    ...refs,
  }
  if (
    tables &&
    (isStarted(row, change) || ('table_ref' in refs && refs.table_ref !== row.table_ref))
  )
    set.after_seq = Math.max(row.after_seq, tables.seq)
  if (enabled === true || isRetargeted(row, change))
    Object.assign(set, tryAgain(row, enabled === true))
  return set
}

function planRefs(row: WebhookRow, change: WebhookChange, tables: DocumentTables) {
  const refs = readRefs(row)
  // What was named meanwhile these tables may not know.
  const before = row.refs_seq > tables.seq ? refs : tables.keep(refs)
  return { ...refsToRow(tables.resolve(change, before)), refs_seq: tables.seq }
}

/** True for a change that sets a webhook going that takes no events. */
function isStarted(row: WebhookRow, { enabled }: WebhookChange): boolean {
  return enabled === true && (!row.enabled || row.stopped_seq !== null)
}

/** True for a change of where deliveries go, or of what opens the door there. */
function isRetargeted(row: WebhookRow, change: WebhookChange): boolean {
  const { url = row.url, authorization = row.authorization } = change
  return url !== row.url || authorization !== row.authorization
}

/** A webhook that takes no more events, because too many wait, goes on with that when it is set going alone. */
function tryAgain(row: WebhookRow, isStarted: boolean): WebhookUpdate {
  const stays = !isStarted && row.stopped_seq !== null
  return {
    attempts: 0,
    failing_since: null,
    retry_at: null,
    halted_at: null,
    ...(stays ? { status: 'error' } : { status: 'idle', stopped_reason: null, stopped_seq: null }),
    due_at: sql<Date | null>`case when waiting_count > 0 then now() end`,
  }
}

function namesTables({ tableId, readyColumn, watchedColumns }: WebhookChange): boolean {
  return tableId !== undefined || readyColumn !== undefined || watchedColumns !== undefined
}

/** Where a stored webhook listens. */
export function readRefs(row: WebhookRow): TableRefs {
  return { tableRef: row.table_ref, readyRef: row.ready_ref, watchedRefs: row.watched_refs }
}

function refsToRow({ tableRef, readyRef, watchedRefs }: TableRefs) {
  return { table_ref: tableRef, ready_ref: readyRef, watched_refs: [...watchedRefs] }
}
