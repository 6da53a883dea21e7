import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { call } from '../api/client'
import { docPath } from '../api/resources'

/** What happens to rows that a webhook can tell of. */
export type EventType = 'add' | 'update' | 'remove'

/** What an owner sets of a webhook. */
export interface WebhookFields {
  readonly url: string
  /** Null when the table is gone. */
  readonly tableId: string | null
  readonly eventTypes: readonly EventType[]
  readonly isReadyColumn: string | null
  readonly watchedColIds: readonly string[]
  readonly name: string
  readonly memo: string
  readonly authorization: string
  readonly enabled: boolean
}

/** How a webhook fares. */
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

/** The secrets that sign the deliveries of a webhook. */
export interface Secrets {
  readonly secret: string
  readonly previousSecret: string | null
  readonly previousUntil: number | null
}

/** What a replay has queued. */
interface Replayed {
  readonly queued: number
  readonly nextSeq?: number
}

/** Figures are asked for so often while somebody looks at them. */
const FIGURES_MS = 4_000
/** An outcome that somebody waits for is asked for so often. */
const OUTCOME_MS = 1_000
const PAGE_DELIVERIES = 50

/** Begins the key of all that is known of the webhooks of a document. */
export const webhooksKey = (docId: string) => ['document', docId, 'webhooks']

const webhooksPath = (docId: string) => `${docPath(docId)}/webhooks`

/** Path of a webhook in the API. */
const webhookPath = (docId: string, webhookId: string): string =>
  `${webhooksPath(docId)}/${encodeURIComponent(webhookId)}`

/** The webhooks of a document, with figures that stay fresh while they are shown; forgotten when they are not. */
export const webhooksQuery = (docId: string) =>
  queryOptions({
    queryKey: [...webhooksKey(docId), 'all'],
    queryFn: async ({ signal }) =>
      (await call<{ webhooks: Webhook[] }>('GET', webhooksPath(docId), { signal })).webhooks,
    refetchInterval: FIGURES_MS,
    // They have headers that let in wherever they are posted.
    gcTime: 0,
  })

/** The log of a webhook's deliveries. The latest ones stay fresh until older ones are looked for. */
export const deliveriesQuery = (docId: string, webhookId: string) =>
  infiniteQueryOptions({
    queryKey: [...webhooksKey(docId), webhookId, 'deliveries'],
    queryFn: async ({ pageParam, signal }) => {
      const query = { limit: PAGE_DELIVERIES, before: pageParam || undefined }
      const path = `${webhookPath(docId, webhookId)}/deliveries`
      return (await call<{ deliveries: Delivery[] }>('GET', path, { query, signal })).deliveries
    },
    initialPageParam: '',
    getNextPageParam: (page) => (page.length === PAGE_DELIVERIES ? page.at(-1)?.id : undefined),
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) > 1 ? false : FIGURES_MS),
  })

/** One delivery, asked for until its outcome is known. */
export const deliveryQuery = (docId: string, webhookId: string, deliveryId: string) =>
  queryOptions({
    queryKey: [...webhooksKey(docId), webhookId, 'delivery', deliveryId],
    queryFn: ({ signal }) =>
      call<Delivery>('GET', `${webhookPath(docId, webhookId)}/deliveries/${deliveryId}`, {
        signal,
      }),
    refetchInterval: ({ state }) => (state.data?.status === 'waiting' ? OUTCOME_MS : false),
  })

/** Makes a webhook; resolves to its id. */
export async function createWebhook(docId: string, fields: WebhookFields): Promise<string> {
  const body = { webhooks: [{ fields }] }
  const made = await call<{ webhooks: { id: string }[] }>('POST', webhooksPath(docId), { body })
  return made.webhooks[0]?.id ?? ''
}

/** Changes what is given of a webhook. */
export const changeWebhook = (
  docId: string,
  webhookId: string,
  fields: Partial<WebhookFields>,
): Promise<unknown> => call('PATCH', webhookPath(docId, webhookId), { body: fields })

/** Deletes a webhook with its log. */
export const deleteWebhook = (docId: string, webhookId: string): Promise<unknown> =>
  call('DELETE', webhookPath(docId, webhookId))

/** Drops what waits for a webhook. */
export const clearQueue = (docId: string, webhookId: string): Promise<unknown> =>
  call('DELETE', `${webhooksPath(docId)}/queue/${encodeURIComponent(webhookId)}`)

/** The secrets of a webhook. */
export const readSecrets = (docId: string, webhookId: string): Promise<Secrets> =>
  call('GET', `${webhookPath(docId, webhookId)}/secret`)

/** Makes a new secret for a webhook. */
export const rotateSecret = (docId: string, webhookId: string): Promise<unknown> =>
  call('POST', `${webhookPath(docId, webhookId)}/secret`)

/** Sends a made-up event; resolves to the id of its delivery. */
export async function sendTest(docId: string, webhookId: string): Promise<string> {
  const path = `${webhookPath(docId, webhookId)}/test`
  return (await call<{ deliveryId: string }>('POST', path)).deliveryId
}

/** Sends a delivery once more. */
export const redeliver = (docId: string, webhookId: string, deliveryId: string): Promise<unknown> =>
  call('POST', `${webhookPath(docId, webhookId)}/deliveries/${deliveryId}/redeliver`)

/** Queues events of the past once more: of changes after a position in the log, or from a time on. */
export const replay = (
  docId: string,
  webhookId: string,
  from: { readonly since: number } | { readonly sinceTime: string },
): Promise<Replayed> => call('POST', `${webhookPath(docId, webhookId)}/replay`, { body: from })
