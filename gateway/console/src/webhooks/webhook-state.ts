import type { Webhook, WebhookDelivery, WebhookUsage } from '@sheaf/client'

/** State of a webhook or delivery, with a tone for its badge. */
export interface State {
  readonly label: string
  readonly tone: 'good' | 'bad' | 'plain'
  /** Explanation, or what to do about it. */
  readonly description?: string
}

/** Display names of event types. */
const eventNames: Readonly<Record<string, string>> = {
  add: 'rows added',
  update: 'rows changed',
  remove: 'rows deleted',
}

/** Describes event types, such as `Rows added, rows changed`. */
export const describeEvents = (types: readonly string[]): string => {
  const text = [...new Set(types)].map((type) => eventNames[type] ?? type).join(', ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** Returns the name of a webhook, or its host if it has no name. */
export const nameOf = ({ fields }: Webhook): string => fields.name || hostOf(fields.url)

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url
}

/** Returns the state of a webhook. */
export function webhookState({ fields, usage }: Webhook): State {
  const { status, numWaiting, stoppedReason } = usage
  if (!fields.enabled)
    return { label: 'Disabled', tone: 'plain', description: 'Changes are not recorded or sent.' }
  if (stoppedReason !== undefined)
    return {
      label: 'Stopped',
      tone: 'bad',
      description: describeStop(stoppedReason, usage.stoppedSeq),
    }
  if (fields.tableId === null)
    return {
      label: 'No table',
      tone: 'bad',
      description: 'The table was deleted. Edit the webhook to select another table.',
    }
  const response = lastResponse(usage)
  const detail = response === '' ? '' : ` Last response: ${response}.`
  if (status === 'retrying')
    return {
      label: 'Retrying',
      tone: 'bad',
      description: `The delivery is retried within minutes.${detail}`,
    }
  if (status === 'postponed' || status === 'invalid' || status === 'error')
    return { label: 'Failing', tone: 'bad', description: `${describeFailure(status)}${detail}` }
  if (numWaiting > 0)
    return { label: 'Pending', tone: 'plain', description: countEvents(numWaiting) }
  return { label: 'Active', tone: 'good' }
}

function describeStop(reason: string, missedAfter: number | null | undefined): string {
  return missedAfter === null || missedAfter === undefined
    ? `Delivery has stopped: ${reason}. Restart it when the receiver is available.`
    : `Recording has stopped: ${reason}. The last recorded change is ${missedAfter}. Replay from there, or restart without the missed changes.`
}

function describeFailure(status: string): string {
  if (status === 'invalid') return 'Deliveries to this URL are not allowed.'
  return 'Deliveries keep failing and are retried at increasing intervals.'
}

/** Describes the number of pending events. */
export const countEvents = (count: number): string =>
  count === 1 ? '1 event pending.' : `${count.toLocaleString()} events pending.`

/** Returns the state of a delivery. */
export function deliveryState({ status, attempts }: WebhookDelivery): State {
  if (status === 'success') return { label: 'Delivered', tone: 'good' }
  if (status === 'failed') return { label: 'Failed', tone: 'bad' }
  return attempts > 0 ? { label: 'Retrying', tone: 'bad' } : { label: 'Pending', tone: 'plain' }
}

/** Converts an epoch time in milliseconds to ISO 8601. */
export const isoTime = (ms: number | null | undefined): string | null =>
  ms === null || ms === undefined ? null : new Date(ms).toISOString()

/** Returns the HTTP status and error of the last attempt; empty if there are none. */
export const lastResponse = ({ lastHttpStatus, lastErrorMessage }: WebhookUsage): string =>
  [lastHttpStatus, lastErrorMessage].filter(Boolean).join(', ')

/** Returns the time of the last attempt; null if there was none. */
export function lastAttempt({ lastSuccessTime, lastFailureTime }: WebhookUsage): string | null {
  const last = Math.max(lastSuccessTime ?? 0, lastFailureTime ?? 0)
  return last === 0 ? null : isoTime(last)
}
