import { sql } from 'kysely'
import type { NewWebhookRow, WebhookRow, WebhookUpdate } from '../db/webhooks'
import type { DocumentTables, TableRefs } from './document-tables'
import type { NewWebhook, WebhookChange } from './webhook-fields'

/** True when a change requires the tables of the document, and the position of its log. */
export function needsTables(change: WebhookChange): boolean {
  return namesTables(change) || change.enabled === true
}

/** Returns the columns of a new webhook. */
export function toRow(
  webhook: NewWebhook,
  tables: DocumentTables,
): Omit<NewWebhookRow, 'id' | 'unsubscribe_key' | 'secret' | 'creator'> {
  const { url, eventTypes, enabled, name, memo, authorization } = webhook
  const refs = refsToRow(tables.resolve(webhook))
  return { url, event_types: eventTypes, enabled, name, memo, authorization, ...refs }
}

/**
 * Returns the effect of a change on a stored webhook. Enabling it or changing its destination retries its
 * queue at once; enabling it after it was disabled, or changing its table, starts with events of later
 * entries. Throws as DocumentTables does.
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
    // The new URL may lead to another network.
    ...(url !== undefined && url !== row.url && { network: '' }),
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
  // Refs stored meanwhile may be newer than these tables.
  const before = row.refs_seq > tables.seq ? refs : tables.keep(refs)
  return { ...refsToRow(tables.resolve(change, before)), refs_seq: tables.seq }
}

/** True for a change that enables a disabled webhook. */
function isStarted(row: WebhookRow, { enabled }: WebhookChange): boolean {
  return enabled === true && (!row.enabled || row.stopped_seq !== null)
}

/** True for a change of the URL or of the authorization. */
function isRetargeted(row: WebhookRow, change: WebhookChange): boolean {
  const { url = row.url, authorization = row.authorization } = change
  return url !== row.url || authorization !== row.authorization
}

/**
 * A webhook that stopped because its queue was full receives events again only when it is enabled explicitly.
 */
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

/** Returns the refs of a stored webhook. */
export function readRefs(row: WebhookRow): TableRefs {
  return { tableRef: row.table_ref, readyRef: row.ready_ref, watchedRefs: row.watched_refs }
}

function refsToRow({ tableRef, readyRef, watchedRefs }: TableRefs) {
  return { table_ref: tableRef, ready_ref: readyRef, watched_refs: [...watchedRefs] }
}
