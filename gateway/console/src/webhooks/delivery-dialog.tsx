import type { WebhookDelivery } from '@sheaf/client'
import { useQuery } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import { docOf } from '../api/sheaf'
import { useApiMutation } from '../components/use-api-mutation'
import { Button } from '../components/button'
import { Dialog } from '../components/overlays/dialog'
import { ErrorNote } from '../components/states'
import { DeliveryDetails } from './delivery-details'
import { deliveryQuery, webhooksKey } from './webhook-queries'

interface DeliveryDialogProps {
  readonly docId: string
  readonly webhookId: string
  /** The delivery as shown in the log. */
  readonly listed: WebhookDelivery
  readonly onClose: () => void
}

/** Details of a delivery, with a button to send it again. */
export function DeliveryDialog(props: DeliveryDialogProps): ReactNode {
  const { docId, webhookId, listed, onClose } = props
  const query = deliveryQuery(docId, webhookId, listed.id)
  const { data = listed, error } = useQuery(query)
  const { isBusy, mutate } = useApiMutation(webhooksKey(docId))
  const [sendError, setSendError] = useState<unknown>()
  const sendAgain = () => {
    setSendError(undefined)
    const message = 'Delivery queued.'
    mutate(() => docOf(docId).webhooks.redeliver(webhookId, listed.id), message).catch(setSendError)
  }
  return (
    <Dialog title="Delivery" isWide onClose={onClose}>
      <DeliveryDetails delivery={data} />
      {data.status === 'waiting' && <p className="note">This delivery is already queued.</p>}
      <ErrorNote error={sendError ?? error} />
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
