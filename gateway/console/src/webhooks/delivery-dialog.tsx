import { useQuery } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import { useApiMutation } from '../components/use-api-mutation'
import { Button } from '../components/button'
import { Dialog } from '../components/dialog'
import { ErrorNote } from '../components/states'
import { DeliveryDetails } from './delivery-details'
import { deliveryQuery, redeliver, webhooksKey, type Delivery } from './webhook-queries'

interface DeliveryDialogProps {
  readonly docId: string
  readonly webhookId: string
  /** The delivery as the list has shown it. */
  readonly listed: Delivery
  readonly onClose: () => void
}

/** All of one delivery, which can be sent again. */
export function DeliveryDialog(props: DeliveryDialogProps): ReactNode {
  const { docId, webhookId, listed, onClose } = props
  const query = deliveryQuery(docId, webhookId, listed.id)
  const { data = listed, error } = useQuery(query)
  const { isBusy, mutate } = useApiMutation(webhooksKey(docId))
  const [refusal, setRefusal] = useState<unknown>()
  const sendAgain = () => {
    setRefusal(undefined)
    const told = 'It is sent again.'
    mutate(() => redeliver(docId, webhookId, listed.id), told).catch(setRefusal)
  }
  return (
    <Dialog title="Delivery" isWide onClose={onClose}>
      <DeliveryDetails delivery={data} />
      {data.status === 'waiting' && <p className="note">It waits to be sent already.</p>}
      <ErrorNote error={refusal ?? error} />
      <footer className="dialog-foot">
        <Button isBusy={isBusy} disabled={data.status === 'waiting'} onClick={sendAgain}>
          Send again
        </Button>
        <Button kind="primary" onClick={onClose}>
          Done
        </Button>
      </footer>
    </Dialog>
  )
}
