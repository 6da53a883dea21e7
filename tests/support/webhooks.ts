import { eventually } from '@sheaf/testkit/eventually'
import type { Rest, RestReply } from '@sheaf/testkit/rest'
import type { ReceivedDelivery, WebhookReceiver } from '@sheaf/testkit/webhook-receiver'

/** Settings that permit deliveries to a receiver of the tests. */
export const allowLoopback = { SHEAF_WEBHOOK_ALLOWED_HOSTS: '127.0.0.1' }

/** Delivery status of a webhook in a REST reply. */
export interface Usage {
  readonly status: string
  readonly numWaiting: number
  readonly lastHttpStatus?: number | null
  readonly lastSuccessTime?: number | null
  readonly lastFailureTime?: number | null
  readonly lastEventBatch: {
    readonly status: string
    readonly size: number
    readonly attempts: number
    readonly httpStatus: number | null
    readonly errorMessage: string | null
  } | null
}

/** A webhook in a REST reply. */
export interface RestWebhook {
  readonly id: string
  readonly fields: Readonly<Record<string, unknown>>
  readonly usage: Usage
}

/** An item of the delivery log in a REST reply. */
export interface RestDelivery {
  readonly id: string
  readonly status: string
  readonly size: number
  readonly attempts: number
  readonly httpStatus?: number | null
}

/**
 * Creates a webhook; returns its id. By default for rows added to or updated in the table Pets; `fields`
 * override this.
 */
export async function addWebhook(
  rest: Rest,
  doc: string,
  fields: Readonly<Record<string, unknown>>,
): Promise<string> {
  const whole = { eventTypes: ['add', 'update'], tableId: 'Pets', ...fields }
  const made = await rest.post<{ webhooks: { id: string }[] }>(`${doc}/webhooks`, {
    body: { webhooks: [{ fields: whole }] },
  })
  return requireOk(made).webhooks[0]?.id ?? ''
}

/** The current state of a webhook. Throws when it does not exist. */
export async function readWebhook(rest: Rest, doc: string, id: string): Promise<RestWebhook> {
  const read = await rest.get<{ webhooks: RestWebhook[] }>(`${doc}/webhooks`)
  const found = requireOk(read).webhooks.find((webhook) => webhook.id === id)
  if (!found) throw new Error(`there is no webhook ${id}`)
  return found
}

/** The body of a reply. Throws for any status other than 200. */
export function requireOk<T>({ status, text, body }: RestReply<T>): T {
  if (status !== 200) throw new Error(`answered ${status}: ${text.slice(0, 300)}`)
  return body
}

/** Waits until a path has received this many rows; returns all rows received by then, in order. */
export function untilRows(
  receiver: WebhookReceiver,
  path: string,
  count: number,
): Promise<Record<string, unknown>[]> {
  return eventually(() => {
    const rows = receiver.rows(path)
    return rows.length >= count && rows
  })
}

/** All rows that a path has received, in order. */
export function deliveriesTo(receiver: WebhookReceiver, path: string): ReceivedDelivery[] {
  return receiver.deliveries.filter((delivery) => delivery.path === path)
}

/** Headers of a delivery, in the form that signature verification expects. */
export function headersOf({ headers }: ReceivedDelivery): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
}
