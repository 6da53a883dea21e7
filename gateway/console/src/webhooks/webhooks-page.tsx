import type { Webhook } from '@sheaf/client'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { Section } from '../components/page'
import { PlainTable } from '../components/plain-table'
import { Empty, ErrorState, Loading } from '../components/states'
import { Time } from '../components/time'
import { useDocumentContext } from '../document-context/document-context'
import { OwnersOnly } from './owners-only'
import { StateBadge } from './state-badge'
import { webhooksQuery } from './webhook-queries'
import { describeEvents, lastAttempt, nameOf, webhookState } from './webhook-state'

/** The webhooks of the document with their delivery status. */
export function WebhooksPage(): ReactNode {
  return (
    <OwnersOnly>
      <WebhookList />
    </OwnersOnly>
  )
}

function WebhookList(): ReactNode {
  const { docId, tables } = useDocumentContext()
  const { data, error, refetch } = useQuery(webhooksQuery(docId))
  return (
    <Section
      title="Webhooks"
      description="Each webhook sends the changes of a table to a URL: signed, in order, and retried until delivered."
      actions={
        tables.length > 0 && (
          <Link className="button primary" to={`/docs/${docId}/webhooks/new`}>
            New webhook
          </Link>
        )
      }
    >
      {error && <ErrorState error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Loading what="the webhooks" />}
      {data?.length === 0 && (
        <Empty title="No webhooks yet">
          <p>
            {tables.length > 0
              ? 'Create one to notify another program when rows are added, changed or deleted.'
              : 'A webhook requires a table, and this document has none yet.'}
          </p>
        </Empty>
      )}
      {data && data.length > 0 && <WebhookTable docId={docId} webhooks={data} />}
    </Section>
  )
}

interface WebhookTableProps {
  readonly docId: string
  readonly webhooks: readonly Webhook[]
}

function WebhookTable({ docId, webhooks }: WebhookTableProps): ReactNode {
  return (
    <PlainTable
      headers={['Name', 'Table', 'Events', 'Status', 'Pending', 'Last attempt']}
      className="start"
    >
      {webhooks.map((webhook) => (
        <WebhookRow key={webhook.id} docId={docId} webhook={webhook} />
      ))}
    </PlainTable>
  )
}

interface WebhookRowProps {
  readonly docId: string
  readonly webhook: Webhook
}

function WebhookRow({ docId, webhook }: WebhookRowProps): ReactNode {
  const { id, fields, usage } = webhook
  const state = webhookState(webhook)
  return (
    <tr>
      <th scope="row">
        <Link to={`/docs/${docId}/webhooks/${id}`}>{nameOf(webhook)}</Link>
        <span className="note block">{fields.url}</span>
      </th>
      <td data-label="Table">{fields.tableId ?? '–'}</td>
      <td data-label="Events">{describeEvents(fields.eventTypes)}</td>
      <td data-label="Status">
        <StateBadge state={state} />
      </td>
      <td data-label="Pending" className="figure">
        {usage.numWaiting.toLocaleString()}
      </td>
      <td data-label="Last attempt">
        <Time at={lastAttempt(usage)} none="None yet" />
      </td>
    </tr>
  )
}
