import { useQueryClient } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import { Link, useNavigate } from 'react-router'
import { useApiMutation } from '../components/use-api-mutation'
import { Button } from '../components/button'
import { ConfirmDialog } from '../components/dialog'
import { Menu } from '../components/menu'
import { useToaster } from '../components/toast'
import { ReplayDialog } from './replay-dialog'
import { TestEvent } from './test-event'
import {
  changeWebhook,
  clearQueue,
  deleteWebhook,
  webhooksKey,
  webhooksQuery,
  type Webhook,
} from './webhook-queries'
import { countEvents, nameOf } from './webhook-state'

interface WebhookProps {
  readonly docId: string
  readonly webhook: Webhook
}

type Asked = 'disable' | 'clear' | 'replay' | 'delete'

/** What can be done with a webhook. */
export function WebhookActions({ docId, webhook }: WebhookProps): ReactNode {
  const { id, fields, usage } = webhook
  const [asked, setAsked] = useState<Asked>()
  const { isBusy, mutateOrToast } = useApiMutation(webhooksKey(docId))
  const enable = (enabled: boolean, told: string) =>
    mutateOrToast(() => changeWebhook(docId, id, { enabled }), told)
  const close = () => setAsked(undefined)
  return (
    <>
      <TestEvent docId={docId} webhookId={id} />
      {usage.stoppedReason !== undefined && (
        <Button isBusy={isBusy} onClick={() => enable(true, 'The webhook works again.')}>
          Start again
        </Button>
      )}
      {fields.enabled ? (
        <Button
          isBusy={isBusy}
          onClick={() =>
            usage.numWaiting > 0 ? setAsked('disable') : enable(false, 'The webhook is disabled.')
          }
        >
          Disable
        </Button>
      ) : (
        <Button isBusy={isBusy} onClick={() => enable(true, 'The webhook is enabled.')}>
          Enable
        </Button>
      )}
      <Link className="button" to={`/docs/${docId}/webhooks/${id}/edit`}>
        Edit
      </Link>
      <Menu
        label={`More for ${nameOf(webhook)}`}
        items={[
          { label: 'Replay changes', onSelect: () => setAsked('replay') },
          { label: 'Clear the queue', onSelect: () => setAsked('clear') },
          { label: 'Delete webhook', onSelect: () => setAsked('delete'), isDanger: true },
        ]}
      />
      {asked === 'replay' && <ReplayDialog docId={docId} webhook={webhook} onClose={close} />}
      {asked === 'delete' && <DeleteDialog docId={docId} webhook={webhook} onClose={close} />}
      {(asked === 'disable' || asked === 'clear') && (
        <DropDialog docId={docId} webhook={webhook} isEnd={asked === 'disable'} onClose={close} />
      )}
    </>
  )
}

interface DropDialogProps extends WebhookProps {
  /** True when the webhook is disabled with it. */
  readonly isEnd: boolean
  readonly onClose: () => void
}

/** Asks before what waits is dropped. */
function DropDialog({ docId, webhook, isEnd, onClose }: DropDialogProps): ReactNode {
  const { mutate } = useApiMutation(webhooksKey(docId))
  const { id, usage } = webhook
  const drop = () =>
    isEnd
      ? mutate(() => changeWebhook(docId, id, { enabled: false }), 'The webhook is disabled.')
      : mutate(() => clearQueue(docId, id), 'The queue is clear.')
  return (
    <ConfirmDialog
      title={isEnd ? `Disable “${nameOf(webhook)}”?` : 'Clear the queue?'}
      confirm={isEnd ? 'Disable' : 'Clear the queue'}
      onClose={onClose}
      onConfirm={drop}
    >
      <p>
        {countEvents(usage.numWaiting)} What waits is dropped, and how the webhook fared is
        forgotten. What was dropped can be sent by a replay.
      </p>
    </ConfirmDialog>
  )
}

function DeleteDialog(props: WebhookProps & { readonly onClose: () => void }): ReactNode {
  const { docId, webhook, onClose } = props
  const client = useQueryClient()
  const navigate = useNavigate()
  const toaster = useToaster()
  const remove = async () => {
    await deleteWebhook(docId, webhook.id)
    // Nothing of it is asked for any more, as it would be if all that is known of webhooks were fetched anew.
    await navigate(`/docs/${docId}/webhooks`, { replace: true })
    client.setQueryData(webhooksQuery(docId).queryKey, (known) =>
      known?.filter(({ id }) => id !== webhook.id),
    )
    toaster.show('The webhook is deleted.')
  }
  return (
    <ConfirmDialog
      title={`Delete “${nameOf(webhook)}”?`}
      confirm="Delete webhook"
      onClose={onClose}
      onConfirm={remove}
    >
      <p>What waits is dropped, and its log and its secret are gone. That cannot be undone.</p>
    </ConfirmDialog>
  )
}
