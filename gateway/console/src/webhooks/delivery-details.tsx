import type { WebhookDelivery } from '@sheaf/client'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { formatSize } from '../components/size'
import { Time } from '../components/time'
import { useDocumentContext } from '../document-context/document-context'
import { StateBadge } from './state-badge'
import { deliveryState } from './webhook-state'

/** The details of a delivery. */
export function DeliveryDetails({ delivery }: { readonly delivery: WebhookDelivery }): ReactNode {
  const { id, time, size, kinds, attempts, httpStatus, durationMs } = delivery
  const { errorMessage, responseExcerpt, bodyBytes, byHand } = delivery
  return (
    <>
      <dl className="facts">
        <dt>Status</dt>
        <dd>
          <StateBadge state={deliveryState(delivery)} />
        </dd>
        <dt>Last attempt</dt>
        <dd>
          <Time at={time} />
          {attempts > 0 && ` (${durationMs.toLocaleString()} ms)`}
        </dd>
        <dt>Attempts</dt>
        <dd>{attempts.toLocaleString()}</dd>
        <dt>HTTP status</dt>
        <dd>{httpStatus ?? 'No response'}</dd>
        <dt>Error</dt>
        <dd>{errorMessage ?? 'None'}</dd>
        <dt>Events</dt>
        <dd>
          {size.toLocaleString()} ({kinds.replaceAll(',', ', ')}), {formatSize(bodyBytes)}
        </dd>
        <dt>Changes</dt>
        <dd>
          <Changes delivery={delivery} />
        </dd>
        <dt>Trigger</dt>
        <dd>{byHand ? 'Manual' : 'Automatic'}</dd>
        <dt>Id</dt>
        <dd>
          <code>{id}</code>
        </dd>
      </dl>
      {responseExcerpt !== '' && (
        <>
          <h3>Response (excerpt)</h3>
          <pre className="excerpt" tabIndex={0} aria-label="Response (excerpt)">
            {responseExcerpt}
          </pre>
        </>
      )}
    </>
  )
}

function Changes({
  delivery: { firstSeq, lastSeq },
}: {
  readonly delivery: WebhookDelivery
}): ReactNode {
  const { docId } = useDocumentContext()
  if (lastSeq === 0) return 'None (test event)'
  const text = firstSeq === lastSeq ? `Change ${lastSeq}` : `Changes ${firstSeq} to ${lastSeq}`
  return <Link to={`/docs/${docId}/history?before=${lastSeq + 1}`}>{text}</Link>
}
