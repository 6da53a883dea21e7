import type { NewWebhook, WebhookDelivery } from '@sheaf/client'
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { docOf } from '../api/sheaf'

/** Settings of a webhook as a form has them. The table is empty until one is chosen. */
export type WebhookFields = Required<NewWebhook>

/** Polling interval of statistics while they are visible. */
const STATISTICS_MS = 4_000
/** Polling interval of a pending delivery. */
const PENDING_MS = 1_000
const PAGE_DELIVERIES = 50

/** Key prefix of all queries about the webhooks of a document. */
export const webhooksKey = (docId: string) => ['document', docId, 'webhooks']

/** The webhooks of a document. Polled while they are shown, and not cached afterwards. */
export const webhooksQuery = (docId: string) =>
  queryOptions({
    queryKey: [...webhooksKey(docId), 'all'],
    queryFn: ({ signal }) => docOf(docId).webhooks.list({ signal }),
    refetchInterval: STATISTICS_MS,
    // They contain authorization headers for other services.
    gcTime: 0,
  })

/** The delivery log of a webhook, newest first. Polled until a second page is loaded. */
export const deliveriesQuery = (docId: string, webhookId: string) =>
  infiniteQueryOptions({
    queryKey: [...webhooksKey(docId), webhookId, 'deliveries'],
    queryFn: async ({ pageParam: before, signal }) => {
      const selection = { before, limit: PAGE_DELIVERIES, signal }
      const page: WebhookDelivery[] = []
      for await (const delivery of docOf(docId).webhooks.deliveries(webhookId, selection))
        page.push(delivery)
      return page
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => (page.length === PAGE_DELIVERIES ? page.at(-1)?.id : undefined),
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) > 1 ? false : STATISTICS_MS),
  })

/** A delivery. Polled until it is complete. */
export const deliveryQuery = (docId: string, webhookId: string, deliveryId: string) =>
  queryOptions({
    queryKey: [...webhooksKey(docId), webhookId, 'delivery', deliveryId],
    queryFn: ({ signal }) => docOf(docId).webhooks.delivery(webhookId, deliveryId, { signal }),
    refetchInterval: ({ state }) => (state.data?.status === 'waiting' ? PENDING_MS : false),
  })
