import type { Webhook } from '@sheaf/client'
import { useQueryClient } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import { Link, useHref, useNavigate } from 'react-router'
import { docOf } from '../api/sheaf'
import { useApiMutation } from '../components/use-api-mutation'
import { Button } from '../components/button'
import { ConfirmDialog } from '../components/overlays/dialog'
import { Menu } from '../components/overlays/menu'
import { useToaster } from '../components/toast'
import { ReplayDialog } from './replay-dialog'
import { TestEvent } from './test-event'
import { webhooksKey, webhooksQuery } from './webhook-queries'
import { countEvents, nameOf } from './webhook-state'

interface WebhookProps {
  readonly docId: string
  readonly webhook: Webhook
}

type OpenDialog = 'disable' | 'clear' | 'replay' | 'delete'

/** Buttons and menu of a webhook. */
export function WebhookActions({ docId, webhook }: WebhookProps): ReactNode {
  const { id, fields, usage } = webhook
  const [open, setOpen] = useState<OpenDialog>()
  const { isBusy, mutateOrToast } = useApiMutation(webhooksKey(docId))
  const enable = (enabled: boolean, message: string) =>
    mutateOrToast(() => docOf(docId).webhooks.update(id, { enabled }), message)
  const close = () => setOpen(undefined)
  return (
    <>
      <TestEvent docId={docId} webhookId={id} />
      {usage.stoppedReason !== undefined && (
        <Button isBusy={isBusy} onClick={() => enable(true, 'Webhook restarted.')}>
          Restart
        </Button>
      )}
      {fields.enabled ? (
        <Button
          isBusy={isBusy}
          onClick={() =>
            usage.numWaiting > 0 ? setOpen('disable') : enable(false, 'Webhook disabled.')
          }
        >
          Disable
        </Button>
      ) : (
        <Button isBusy={isBusy} onClick={() => enable(true, 'Webhook enabled.')}>
          Enable
        </Button>
      )}
      <Link className="button" to={`/docs/${docId}/webhooks/${id}/edit`}>
        Edit
      </Link>
      <Menu
        label={`More actions for ${nameOf(webhook)}`}
        items={[
          { label: 'Replay changes', onSelect: () => setOpen('replay') },
          { label: 'Clear queue', onSelect: () => setOpen('clear') },
          { label: 'Delete webhook', onSelect: () => setOpen('delete'), isDanger: true },
        ]}
      />
      {open === 'replay' && <ReplayDialog docId={docId} webhook={webhook} onClose={close} />}
      {open === 'delete' && <DeleteDialog docId={docId} webhook={webhook} onClose={close} />}
      {(open === 'disable' || open === 'clear') && (
        <DiscardDialog
          docId={docId}
          webhook={webhook}
          disables={open === 'disable'}
          onClose={close}
        />
      )}
    </>
  )
}

interface DiscardDialogProps extends WebhookProps {
  /** True to disable the webhook as well. */
  readonly disables: boolean
  readonly onClose: () => void
}

/** Confirms that pending events are discarded. */
function DiscardDialog({ docId, webhook, disables, onClose }: DiscardDialogProps): ReactNode {
  const { mutate } = useApiMutation(webhooksKey(docId))
  const { id, usage } = webhook
  const { webhooks } = docOf(docId)
  const discard = () =>
    disables
      ? mutate(() => webhooks.update(id, { enabled: false }), 'Webhook disabled.')
      : mutate(() => webhooks.clearQueue(id), 'Queue cleared.')
  return (
    <ConfirmDialog
      title={disables ? `Disable “${nameOf(webhook)}”?` : 'Clear queue?'}
      confirm={disables ? 'Disable' : 'Clear queue'}
      onClose={onClose}
      onConfirm={discard}
    >
      <p>
        {countEvents(usage.numWaiting)} Discards pending events and resets delivery statistics.
        Discarded events can be replayed.
      </p>
    </ConfirmDialog>
  )
}

function DeleteDialog(props: WebhookProps & { readonly onClose: () => void }): ReactNode {
  const { docId, webhook, onClose } = props
  const client = useQueryClient()
  const navigate = useNavigate()
  const href = useHref(`/docs/${docId}/webhooks/${webhook.id}`)
  const toaster = useToaster()
  const remove = async () => {
    await docOf(docId).webhooks.delete(webhook.id)
    // The page of the webhook may be shown although the dialog was closed, and another one although it was shown.
    // Invalidating the queries instead would refetch the deleted webhook.
    if (window.location.pathname === href)
      await navigate(`/docs/${docId}/webhooks`, { replace: true })
    client.setQueryData(webhooksQuery(docId).queryKey, (known) =>
      known?.filter(({ id }) => id !== webhook.id),
    )
    toaster.show('Webhook deleted.')
  }
  return (
    <ConfirmDialog
      title={`Delete “${nameOf(webhook)}”?`}
      confirm="Delete webhook"
      onClose={onClose}
      onConfirm={remove}
    >
      <p>Deletes pending events, the delivery log and the secret. This cannot be undone.</p>
    </ConfirmDialog>
  )
}
