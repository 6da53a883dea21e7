import type { WebhookDelivery } from '@sheaf/client'
import { useQuery } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import { docOf } from '../api/sheaf'
import { useApiMutation } from '../components/use-api-mutation'
import { Button } from '../components/button'
import { Dialog } from '../components/overlays/dialog'
import { ErrorState, Loading } from '../components/states'
import { DeliveryDetails } from './delivery-details'
import { deliveryQuery, webhooksKey } from './webhook-queries'

interface TestEventProps {
  readonly docId: string
  readonly webhookId: string
}

/** Sends a test event and shows the result. */
export function TestEvent({ docId, webhookId }: TestEventProps): ReactNode {
  const [sent, setSent] = useState<string>()
  const { isBusy, mutateOrToast } = useApiMutation(webhooksKey(docId))
  const { webhooks } = docOf(docId)
  const send = () => mutateOrToast(async () => setSent(await webhooks.test(webhookId)))
  return (
    <>
      <Button isBusy={isBusy} onClick={send}>
        Send test
      </Button>
      {sent !== undefined && (
        <TestResult
          docId={docId}
          webhookId={webhookId}
          deliveryId={sent}
          onClose={() => setSent(undefined)}
        />
      )}
    </>
  )
}

interface TestResultProps extends TestEventProps {
  readonly deliveryId: string
  readonly onClose: () => void
}

function TestResult({ docId, webhookId, deliveryId, onClose }: TestResultProps): ReactNode {
  const { data, error, refetch } = useQuery(deliveryQuery(docId, webhookId, deliveryId))
  return (
    <Dialog title="Test event" onClose={onClose}>
      <p className="note">The event contains a sample row with id 0 and empty columns.</p>
      {error && <ErrorState error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Loading what="the result" />}
      {data && (
        <>
          <p role="status" className="outcome">
            {describeResult(data)}
          </p>
          {data.status !== 'waiting' && <DeliveryDetails delivery={data} />}
        </>
      )}
      <footer className="dialog-foot">
        <Button kind="primary" onClick={onClose}>
          Done
        </Button>
      </footer>
    </Dialog>
  )
}

function describeResult({ status, httpStatus, errorMessage }: WebhookDelivery): string {
  if (status === 'waiting') return 'Sending…'
  if (status === 'success') return `Delivered. The receiver responded with status ${httpStatus}.`
  return `Delivery failed: ${errorMessage ?? 'unknown error'}.`
}
