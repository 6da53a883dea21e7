import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { docPath } from '../api/paths'
import { sheaf } from '../api/sheaf'

/** Types of row events that a webhook can send. */
export type EventType = 'add' | 'update' | 'remove'

/** Settings of a webhook. */
export interface WebhookFields {
  readonly url: string
  /** Null if the table was deleted. */
  readonly tableId: string | null
  readonly eventTypes: readonly EventType[]
  readonly isReadyColumn: string | null
  readonly watchedColIds: readonly string[]
  readonly name: string
  readonly memo: string
  readonly authorization: string
  readonly enabled: boolean
}

/** Delivery status of a webhook. */
export interface WebhookUsage {
  readonly status: string
  readonly numWaiting: number
  readonly lastSuccessTime?: number | null
  readonly lastFailureTime?: number | null
  readonly lastErrorMessage?: string | null
  readonly lastHttpStatus?: number | null
  readonly stoppedReason?: string
  readonly stoppedSeq?: number | null
}

/** A webhook. */
export interface Webhook {
  readonly id: string
  readonly fields: WebhookFields
  readonly usage: WebhookUsage
}

/** A delivery of a webhook. */
export interface Delivery {
  readonly id: string
  readonly time: string
  readonly status: 'waiting' | 'success' | 'failed'
  readonly size: number
  readonly kinds: string
  readonly attempts: number
  readonly httpStatus: number | null
  readonly durationMs: number
  readonly errorMessage: string | null
  readonly responseExcerpt: string
  readonly firstSeq: number
  readonly lastSeq: number
  readonly bodyBytes: number
  readonly byHand: boolean
}

/** The signing secrets of a webhook. */
export interface Secrets {
  readonly secret: string
  readonly previousSecret: string | null
  readonly previousUntil: number | null
}

/** Result of a replay request. */
interface ReplayResult {
  readonly queued: number
  readonly nextSeq?: number
}

/** Polling interval of statistics while they are visible. */
const STATISTICS_MS = 4_000
/** Polling interval of a pending delivery. */
const PENDING_MS = 1_000
const PAGE_DELIVERIES = 50

/** Key prefix of all queries about the webhooks of a document. */
export const webhooksKey = (docId: string) => ['document', docId, 'webhooks']

const webhooksPath = (docId: string) => `${docPath(docId)}/webhooks`

/** Returns the API path of a webhook. */
const webhookPath = (docId: string, webhookId: string): string =>
  `${webhooksPath(docId)}/${encodeURIComponent(webhookId)}`

/** The webhooks of a document. Polled while they are shown, and not cached afterwards. */
export const webhooksQuery = (docId: string) =>
  queryOptions({
    queryKey: [...webhooksKey(docId), 'all'],
    queryFn: async ({ signal }) => {
      const call = { method: 'GET', path: webhooksPath(docId) } as const
      return (await sheaf().request<{ webhooks: Webhook[] }>(call, { signal })).webhooks
    },
    refetchInterval: STATISTICS_MS,
    // They contain authorization headers for other services.
    gcTime: 0,
  })

/** The delivery log of a webhook, newest first. Polled until a second page is loaded. */
export const deliveriesQuery = (docId: string, webhookId: string) =>
  infiniteQueryOptions({
    queryKey: [...webhooksKey(docId), webhookId, 'deliveries'],
    queryFn: async ({ pageParam, signal }) => {
      const query = { limit: PAGE_DELIVERIES, before: pageParam || undefined }
      const path = `${webhookPath(docId, webhookId)}/deliveries`
      const call = { method: 'GET', path, query } as const
      return (await sheaf().request<{ deliveries: Delivery[] }>(call, { signal })).deliveries
    },
    initialPageParam: '',
    getNextPageParam: (page) => (page.length === PAGE_DELIVERIES ? page.at(-1)?.id : undefined),
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) > 1 ? false : STATISTICS_MS),
  })

/** A delivery. Polled until it is complete. */
export const deliveryQuery = (docId: string, webhookId: string, deliveryId: string) =>
  queryOptions({
    queryKey: [...webhooksKey(docId), webhookId, 'delivery', deliveryId],
    queryFn: ({ signal }) => {
      const path = `${webhookPath(docId, webhookId)}/deliveries/${deliveryId}`
      return sheaf().request<Delivery>({ method: 'GET', path }, { signal })
    },
    refetchInterval: ({ state }) => (state.data?.status === 'waiting' ? PENDING_MS : false),
  })

/** Creates a webhook. Resolves to its id. */
export async function createWebhook(docId: string, fields: WebhookFields): Promise<string> {
  const json = { webhooks: [{ fields }] }
  const call = { method: 'POST', path: webhooksPath(docId), json } as const
  const created = await sheaf().request<{ webhooks: { id: string }[] }>(call)
  return created.webhooks[0]?.id ?? ''
}

/** Changes the given fields of a webhook. */
export const changeWebhook = (
  docId: string,
  webhookId: string,
  fields: Partial<WebhookFields>,
): Promise<unknown> =>
  sheaf().request({ method: 'PATCH', path: webhookPath(docId, webhookId), json: fields })

/** Deletes a webhook with its delivery log. */
export const deleteWebhook = (docId: string, webhookId: string): Promise<unknown> =>
  sheaf().request({ method: 'DELETE', path: webhookPath(docId, webhookId) })

/** Discards the pending events of a webhook. */
export function clearQueue(docId: string, webhookId: string): Promise<unknown> {
  const path = `${webhooksPath(docId)}/queue/${encodeURIComponent(webhookId)}`
  return sheaf().request({ method: 'DELETE', path })
}

/** Fetches the signing secrets of a webhook. */
export const fetchSecrets = (docId: string, webhookId: string): Promise<Secrets> =>
  sheaf().request({ method: 'GET', path: `${webhookPath(docId, webhookId)}/secret` })

/** Replaces the signing secret of a webhook. */
export const rotateSecret = (docId: string, webhookId: string): Promise<unknown> =>
  sheaf().request({ method: 'POST', path: `${webhookPath(docId, webhookId)}/secret` })

/** Sends a test event. Resolves to the id of its delivery. */
export async function sendTest(docId: string, webhookId: string): Promise<string> {
  const path = `${webhookPath(docId, webhookId)}/test`
  return (await sheaf().request<{ deliveryId: string }>({ method: 'POST', path })).deliveryId
}

/** Sends a delivery again. */
export function redeliver(docId: string, webhookId: string, deliveryId: string): Promise<unknown> {
  const path = `${webhookPath(docId, webhookId)}/deliveries/${deliveryId}/redeliver`
  return sheaf().request({ method: 'POST', path })
}

/** Queues events of past changes again: changes after a sequence number, or since a time. */
export function replay(
  docId: string,
  webhookId: string,
  from: { readonly since: number } | { readonly sinceTime: string },
): Promise<ReplayResult> {
  const path = `${webhookPath(docId, webhookId)}/replay`
  return sheaf().request({ method: 'POST', path, json: from })
}
