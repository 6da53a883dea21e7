import { useQuery } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import { useApiMutation } from '../components/use-api-mutation'
import { Button } from '../components/button'
import { Dialog } from '../components/dialog'
import { ErrorState, Loading } from '../components/states'
import { DeliveryDetails } from './delivery-details'
import { deliveryQuery, sendTest, webhooksKey, type Delivery } from './webhook-queries'

interface TestEventProps {
  readonly docId: string
  readonly webhookId: string
}

/** Sends a made-up event, and shows what became of it. */
export function TestEvent({ docId, webhookId }: TestEventProps): ReactNode {
  const [sent, setSent] = useState<string>()
  const { isBusy, mutateOrToast } = useApiMutation(webhooksKey(docId))
  const send = () => mutateOrToast(async () => setSent(await sendTest(docId, webhookId)))
  return (
    <>
      <Button isBusy={isBusy} onClick={send}>
        Send a test
      </Button>
      {sent !== undefined && (
        <TestOutcome
          docId={docId}
          webhookId={webhookId}
          deliveryId={sent}
          onClose={() => setSent(undefined)}
        />
      )}
    </>
  )
}

interface TestOutcomeProps extends TestEventProps {
  readonly deliveryId: string
  readonly onClose: () => void
}

function TestOutcome({ docId, webhookId, deliveryId, onClose }: TestOutcomeProps): ReactNode {
  const { data, error, refetch } = useQuery(deliveryQuery(docId, webhookId, deliveryId))
  return (
    <Dialog title="Test event" onClose={onClose}>
      <p className="note">A made-up row, whose id is 0 and whose columns are all empty.</p>
      {error && <ErrorState error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Loading what="the outcome" />}
      {data && (
        <>
          <p role="status" className="outcome">
            {describeOutcome(data)}
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

function describeOutcome({ status, httpStatus, errorMessage }: Delivery): string {
  if (status === 'waiting') return 'It is on its way…'
  if (status === 'success') return `The receiver has taken it, and answered ${httpStatus}.`
  return `It did not arrive: ${errorMessage ?? 'nobody knows why'}.`
}
