import type { Delivery, EventType, Webhook, WebhookUsage } from './webhook-queries'

/** How something is, in a word that stands out as much as it matters. */
export interface State {
  readonly word: string
  readonly tone: 'good' | 'bad' | 'plain'
  /** What it means, or what to do about it. */
  readonly about?: string
}

/** What each kind of event is called. */
export const eventNames: Readonly<Record<EventType, string>> = {
  add: 'rows added',
  update: 'rows changed',
  remove: 'rows deleted',
}

/** Events of a webhook in words. */
export const describeEvents = (types: readonly EventType[]): string => {
  const text = [...new Set(types)].map((type) => eventNames[type]).join(', ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** What a webhook is called where it has no name. */
export const nameOf = ({ fields }: Webhook): string => fields.name || hostOf(fields.url)

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url
}

/** How a webhook fares, in words. */
export function webhookState({ fields, usage }: Webhook): State {
  const { status, numWaiting, stoppedReason } = usage
  if (!fields.enabled)
    return { word: 'Disabled', tone: 'plain', about: 'It takes and sends nothing.' }
  if (stoppedReason !== undefined)
    return { word: 'Stopped', tone: 'bad', about: describeStop(stoppedReason, usage.stoppedSeq) }
  if (fields.tableId === null)
    return {
      word: 'No table',
      tone: 'bad',
      about: 'Its table is gone. Edit it to give it another one.',
    }
  const answer = lastAnswer(usage)
  const because = answer === '' ? '' : ` The last answer: ${answer}.`
  if (status === 'retrying')
    return { word: 'Retrying', tone: 'bad', about: `It is tried again within minutes.${because}` }
  if (status === 'postponed' || status === 'invalid' || status === 'error')
    return { word: 'Failing', tone: 'bad', about: `${describeFailure(status)}${because}` }
  if (numWaiting > 0) return { word: 'Waiting', tone: 'plain', about: countEvents(numWaiting) }
  return { word: 'Working', tone: 'good' }
}

function describeStop(reason: string, missedAfter: number | null | undefined): string {
  return missedAfter === null || missedAfter === undefined
    ? `It sends no more: ${reason}. Start it again once the receiver is back.`
    : `It takes no more: ${reason}. It was told of changes up to ${missedAfter}: replay from there, or start it again without what it missed.`
}

function describeFailure(status: string): string {
  if (status === 'invalid') return 'Deliveries may not go to its address.'
  return 'It keeps failing, and is tried again ever more seldom.'
}

/** So many events that wait. */
export const countEvents = (count: number): string =>
  count === 1 ? '1 event waits.' : `${count.toLocaleString()} events wait.`

/** What became of a delivery, in a word. */
export function deliveryState({ status, attempts }: Delivery): State {
  if (status === 'success') return { word: 'Delivered', tone: 'good' }
  if (status === 'failed') return { word: 'Failed', tone: 'bad' }
  return attempts > 0 ? { word: 'Retrying', tone: 'bad' } : { word: 'Waiting', tone: 'plain' }
}

/** An epoch time as ISO 8601, as times are shown from. */
export const isoTime = (ms: number | null | undefined): string | null =>
  ms === null || ms === undefined ? null : new Date(ms).toISOString()

/** What the last attempt was answered, and what went wrong; empty when there is nothing to tell. */
export const lastAnswer = ({ lastHttpStatus, lastErrorMessage }: WebhookUsage): string =>
  [lastHttpStatus, lastErrorMessage].filter(Boolean).join(', ')

/** When the last attempt ended; null when there was none. */
export function lastAttempt({ lastSuccessTime, lastFailureTime }: WebhookUsage): string | null {
  const last = Math.max(lastSuccessTime ?? 0, lastFailureTime ?? 0)
  return last === 0 ? null : isoTime(last)
}
