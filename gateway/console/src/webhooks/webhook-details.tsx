import type { Webhook } from '@sheaf/client'
import type { ReactNode } from 'react'
import { Time } from '../components/time'
import { StateBadge } from './state-badge'
import { describeEvents, isoTime, lastResponse, webhookState } from './webhook-state'

/** The settings and delivery status of a webhook. */
export function WebhookDetails({ webhook }: { readonly webhook: Webhook }): ReactNode {
  const { fields, usage } = webhook
  const state = webhookState(webhook)
  return (
    <>
      <p className="webhook-state" role="status">
        <StateBadge state={state} /> {state.description}
      </p>
      {fields.memo !== '' && <p className="memo">{fields.memo}</p>}
      <dl className="facts">
        <dt>URL</dt>
        <dd>{fields.url}</dd>
        <dt>Table</dt>
        <dd>{fields.tableId ?? 'None'}</dd>
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
        <dd>{fields.authorization === '' ? 'None' : 'Header is sent'}</dd>
        <dt>Pending events</dt>
        <dd>{usage.numWaiting.toLocaleString()}</dd>
        <dt>Last success</dt>
        <dd>
          <Time at={isoTime(usage.lastSuccessTime)} none="None yet" />
        </dd>
        <dt>Last failure</dt>
        <dd>
          <Time at={isoTime(usage.lastFailureTime)} none="None" />
        </dd>
        <dt>Last response</dt>
        <dd>{lastResponse(usage) || '–'}</dd>
      </dl>
    </>
  )
}

const describeRows = ({ isReadyColumn }: Webhook['fields']) =>
  isReadyColumn === null ? 'All' : `Where ${isReadyColumn} is true`

const describeWatched = ({ watchedColIds }: Webhook['fields']) =>
  watchedColIds.length === 0 ? 'In any column' : `In ${watchedColIds.join(', ')}`
