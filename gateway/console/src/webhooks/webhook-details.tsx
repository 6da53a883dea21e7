import type { ReactNode } from 'react'
import { Time } from '../components/time'
import { StateBadge } from './state-badge'
import type { Webhook, WebhookFields } from './webhook-queries'
import { describeEvents, isoTime, lastAnswer, webhookState } from './webhook-state'

/** What a webhook is, and how it fares. */
export function WebhookDetails({ webhook }: { readonly webhook: Webhook }): ReactNode {
  const { fields, usage } = webhook
  const state = webhookState(webhook)
  return (
    <>
      <p className="webhook-state" role="status">
        <StateBadge state={state} /> {state.about}
      </p>
      {fields.memo !== '' && <p className="memo">{fields.memo}</p>}
      <dl className="facts">
        <dt>Address</dt>
        <dd>{fields.url}</dd>
        <dt>Table</dt>
        <dd>{fields.tableId ?? 'none'}</dd>
        <dt>Events</dt>
        <dd>{describeEvents(fields.eventTypes)}</dd>
        <dt>Rows</dt>
        <dd>{describeRows(fields)}</dd>
        {fields.eventTypes.includes('update') && (
          <>
            <dt>Changes</dt>
            <dd>{describeWatched(fields)}</dd>
          </>
        )}
        <dt>Authorization</dt>
        <dd>{fields.authorization === '' ? 'none' : 'a header is sent'}</dd>
        <dt>Waiting</dt>
        <dd>{usage.numWaiting.toLocaleString()}</dd>
        <dt>Last success</dt>
        <dd>
          <Time at={isoTime(usage.lastSuccessTime)} none="none yet" />
        </dd>
        <dt>Last failure</dt>
        <dd>
          <Time at={isoTime(usage.lastFailureTime)} none="none" />
        </dd>
        <dt>Last answer</dt>
        <dd>{lastAnswer(usage) || '–'}</dd>
      </dl>
    </>
  )
}

const describeRows = ({ isReadyColumn }: WebhookFields) =>
  isReadyColumn === null ? 'all' : `those where ${isReadyColumn} is true`

const describeWatched = ({ watchedColIds }: WebhookFields) =>
  watchedColIds.length === 0 ? 'of any column' : `of ${watchedColIds.join(', ')}`
