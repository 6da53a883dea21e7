import type { Webhook, WebhookUsage } from '@sheaf/protos/sheaf/webhook/v1/webhooks'
import type { WebhookRow } from '../db/webhooks'
import type { DocumentTables } from '../webhooks/document-tables'
import { readRefs } from '../webhooks/webhook-changes'

/** Converts a webhook to its message, with the current names of its table and columns. */
export function webhookToWire(row: WebhookRow, tables: DocumentTables): Webhook {
  const { tableId, readyColumn, watchedColumns } = tables.name(readRefs(row))
  const { url, event_types: eventTypes, enabled, name, memo, authorization } = row
  return {
    id: row.id,
    fields: {
      ...{ url, eventTypes, enabled, name, memo, authorization },
      tableId: tableId ?? undefined,
      isReadyColumn: readyColumn ?? undefined,
      hasWatchedColIds: true,
      watchedColIds: watchedColumns,
    },
    unsubscribeKey: row.unsubscribe_key,
    usage: usageToWire(row),
  }
}

function usageToWire(row: WebhookRow): WebhookUsage {
  const { last_batch: batch } = row
  return {
    numWaiting: row.waiting_count,
    status: row.status,
    updatedTime: row.updated_at?.getTime(),
    lastSuccessTime: row.last_success_at?.getTime(),
    lastFailureTime: row.last_failure_at?.getTime(),
    lastErrorMessage: row.last_error ?? undefined,
    lastHttpStatus: row.last_http_status ?? undefined,
    lastEventBatch: batch
      ? {
          ...batch,
          errorMessage: batch.errorMessage ?? undefined,
          httpStatus: batch.httpStatus ?? undefined,
        }
      : undefined,
    stoppedReason: row.stopped_reason ?? undefined,
    stoppedSeq: row.stopped_seq ?? undefined,
  }
}
