import type { WebhookDelivery } from '@sheaf/client'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import { Button } from '../components/button'
import { Section } from '../components/page'
import { PlainTable } from '../components/plain-table'
import { formatSize } from '../components/size'
import { Empty, ErrorState, Loading } from '../components/states'
import { Time } from '../components/time'
import { DeliveryDialog } from './delivery-dialog'
import { StateBadge } from './state-badge'
import { deliveriesQuery } from './webhook-queries'
import { deliveryState } from './webhook-state'

interface DeliveriesProps {
  readonly docId: string
  readonly webhookId: string
}

/** The delivery log of a webhook, in pages. */
export function DeliveriesSection({ docId, webhookId }: DeliveriesProps): ReactNode {
  const log = useInfiniteQuery(deliveriesQuery(docId, webhookId))
  const [shown, setShown] = useState<WebhookDelivery>()
  const { data, error } = log
  const deliveries = data?.pages.flat() ?? []
  return (
    <Section
      title="Deliveries"
      description="Newest first. The last 1,000 deliveries are kept, for up to 30 days."
      actions={
        <Button isBusy={log.isRefetching} onClick={() => void log.refetch()}>
          Refresh
        </Button>
      }
    >
      {error && <ErrorState error={error} onRetry={() => void log.refetch()} />}
      {!data && !error && <Loading what="the deliveries" />}
      {data && deliveries.length === 0 && (
        <Empty title="No deliveries yet">
          <p>Change a row of the table, or send a test event.</p>
        </Empty>
      )}
      {deliveries.length > 0 && <DeliveryTable deliveries={deliveries} onShow={setShown} />}
      {log.hasNextPage && (
        <Button isBusy={log.isFetchingNextPage} onClick={() => void log.fetchNextPage()}>
          Show older
        </Button>
      )}
      {shown && (
        <DeliveryDialog
          docId={docId}
          webhookId={webhookId}
          listed={shown}
          onClose={() => setShown(undefined)}
        />
      )}
    </Section>
  )
}

interface DeliveryTableProps {
  readonly deliveries: readonly WebhookDelivery[]
  readonly onShow: (delivery: WebhookDelivery) => void
}

const headers = ['Last attempt', 'Status', 'Events', 'Attempts', 'Response', 'Size', '']

function DeliveryTable({ deliveries, onShow }: DeliveryTableProps): ReactNode {
  return (
    <PlainTable headers={headers} label="Delivery log">
      {deliveries.map((delivery) => (
        <tr key={delivery.id}>
          <th scope="row">
            <Time at={delivery.time} />
          </th>
          <td data-label="Status">
            <StateBadge state={deliveryState(delivery)} />
          </td>
          <td data-label="Events">
            {delivery.size.toLocaleString()} ({delivery.kinds.replaceAll(',', ', ')})
          </td>
          <td data-label="Attempts" className="figure">
            {delivery.attempts.toLocaleString()}
          </td>
          <td data-label="Response" className="response">
            {describeResponse(delivery)}
          </td>
          <td data-label="Size">{formatSize(delivery.bodyBytes)}</td>
          <td>
            <Button
              aria-label={`Details of delivery at ${delivery.time}`}
              onClick={() => onShow(delivery)}
            >
              Details
            </Button>
          </td>
        </tr>
      ))}
    </PlainTable>
  )
}

function describeResponse({ httpStatus, errorMessage }: WebhookDelivery): string {
  return errorMessage ?? (httpStatus === null ? '–' : String(httpStatus))
}
