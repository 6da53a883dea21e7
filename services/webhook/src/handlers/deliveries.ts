import { requireDocumentRole } from '@sheaf/auth/require-access'
import { AppError } from '@sheaf/kit/errors'
import type { ServerCall } from '@sheaf/auth/server-call'
import type {
  DeliveriesService,
  Delivery,
  GetDeliveryRequest,
  GetDeliveryResponse,
  ListDeliveriesRequest,
  ListDeliveriesResponse,
  RedeliverRequest,
  RedeliverResponse,
  SendTestEventRequest,
  SendTestEventResponse,
} from '@sheaf/protos/sheaf/webhook/v1/deliveries'
import type { Context } from '../context'
import {
  addTestDelivery,
  getDelivery,
  getTableRef,
  listDeliveries,
  redeliver,
  type ShownDelivery,
} from '../db/delivery-log'
import { requireRef } from '../db/webhook-ref'
import { readTables, type DocumentTables } from '../webhooks/document-tables'

/** No row has it. */
const TEST_ROW_ID = 0

const DEFAULT_LIMIT = 100
const MAX_LIMIT = 1_000

/** Lists and repeats deliveries, for owners of the document. */
export const deliveries = ({
  db,
  notifier,
  documentCalls,
}: Context): Omit<DeliveriesService, 'replayDeliveries'> => ({
  async listDeliveries(
    { docId, webhookId, limit, beforeId }: ListDeliveriesRequest,
    call: ServerCall,
  ): Promise<ListDeliveriesResponse> {
    requireDocumentRole(call, docId, 'owners')
    if (limit < 0 || limit > MAX_LIMIT)
      throw new AppError(
        'invalid',
        'BAD_FIELD',
        `limit must be an integer from 0 to ${MAX_LIMIT}`,
        {
          field: 'limit',
        },
      )
    const page = { limit: limit || DEFAULT_LIMIT, beforeId }
    const found = await listDeliveries(db, requireRef({ docId, webhookId }), page)
    return { deliveries: found.map(toDelivery) }
  },

  async getDelivery(
    { docId, webhookId, deliveryId }: GetDeliveryRequest,
    call: ServerCall,
  ): Promise<GetDeliveryResponse> {
    requireDocumentRole(call, docId, 'owners')
    const found = await getDelivery(db, requireRef({ docId, webhookId }), deliveryId)
    return { delivery: toDelivery(found) }
  },

  async redeliver(
    { docId, webhookId, deliveryId }: RedeliverRequest,
    call: ServerCall,
  ): Promise<RedeliverResponse> {
    requireDocumentRole(call, docId, 'owners')
    await redeliver(db, requireRef({ docId, webhookId }), deliveryId)
    notifier.deliver()
    return {}
  },

  async sendTestEvent(
    { docId, webhookId }: SendTestEventRequest,
    call: ServerCall,
  ): Promise<SendTestEventResponse> {
    requireDocumentRole(call, docId, 'owners')
    const ref = requireRef({ docId, webhookId })
    const tableRef = await getTableRef(db, ref)
    const tables = await readTables(documentCalls, docId, call)
    const deliveryId = await addTestDelivery(db, ref, makeTestRow(tables, tableRef))
    notifier.deliver()
    return { deliveryId }
  },
})

function toDelivery(stored: ShownDelivery): Delivery {
  return {
    id: stored.id,
    time: (stored.attempted_at ?? stored.created_at).toISOString(),
    size: stored.size,
    attempts: stored.attempts,
    httpStatus: stored.http_status ?? undefined,
    durationMs: stored.duration_ms,
    errorMessage: stored.error ?? undefined,
    responseExcerpt: stored.response_excerpt,
    status: stored.state,
    firstSeq: stored.first_seq,
    lastSeq: stored.last_seq,
    bodyBytes: stored.body_bytes,
    kinds: stored.kinds,
    byHand: stored.by_hand,
  }
}

/**
 * Returns a test row as JSON, with all columns of the table, if it exists, and empty cells, so that a
 * receiver sees the shape of a delivery. Its id is 0, which no real row has.
 */
function makeTestRow(tables: DocumentTables, tableRef: number | null): string {
  const columns = tables.listColumns(tableRef).map((id) => [id, null])
  // Keys keep this order, since no column is called id.
  const row = Object.fromEntries([['id', TEST_ROW_ID], ['manualSort', null], ...columns]) as object
  return JSON.stringify(row)
}
