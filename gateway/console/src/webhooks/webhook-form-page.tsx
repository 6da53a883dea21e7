import type { Webhook } from '@sheaf/client'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useParams } from 'react-router'
import { docOf } from '../api/sheaf'
import { useApiMutation } from '../components/use-api-mutation'
import { useLateNavigate } from '../components/use-late-navigate'
import { Empty, ErrorState, Loading } from '../components/states'
import { useDocumentContext } from '../document-context/document-context'
import { OwnersOnly } from './owners-only'
import { webhooksKey, webhooksQuery, type WebhookFields } from './webhook-queries'
import { WebhookForm } from './webhook-form'
import { eventTypes } from './webhook-form-parts'
import { nameOf } from './webhook-state'

/** Creates a webhook, or edits the one in the URL. */
export function WebhookFormPage(): ReactNode {
  const { webhookId } = useParams()
  return (
    <OwnersOnly>
      {webhookId === undefined ? (
        <NewWebhook />
      ) : (
        <EditWebhook key={webhookId} webhookId={webhookId} />
      )}
    </OwnersOnly>
  )
}

function NewWebhook(): ReactNode {
  const { docId, tables } = useDocumentContext()
  const { mutate } = useApiMutation(webhooksKey(docId))
  const navigate = useLateNavigate()
  const initial: WebhookFields = {
    name: '',
    url: '',
    tableId: tables[0]?.id ?? '',
    eventTypes: ['add', 'update'],
    isReadyColumn: null,
    watchedColIds: [],
    memo: '',
    authorization: '',
    enabled: true,
  }
  const create = async (fields: WebhookFields) => {
    const { webhooks } = docOf(docId)
    const [id] = await mutate(() => webhooks.create([fields]), 'Webhook created.')
    await navigate(`/docs/${docId}/webhooks/${id}`, { replace: true })
  }
  return (
    <WebhookForm
      title="New webhook"
      submit="Create webhook"
      initial={initial}
      back={`/docs/${docId}/webhooks`}
      onSubmit={create}
    />
  )
}

function EditWebhook({ webhookId }: { readonly webhookId: string }): ReactNode {
  const { docId } = useDocumentContext()
  const { data, error, refetch } = useQuery(webhooksQuery(docId))
  const { mutate } = useApiMutation(webhooksKey(docId))
  const navigate = useLateNavigate()
  // Errors of later refetches must not discard the input.
  if (error && !data) return <ErrorState error={error} onRetry={() => void refetch()} />
  if (!data) return <Loading what="the webhook" />
  const webhook = data.find(({ id }) => id === webhookId)
  if (!webhook)
    return (
      <Empty title="Webhook not found">
        <p>It may have been deleted, or the address may be wrong.</p>
      </Empty>
    )
  const back = `/docs/${docId}/webhooks/${webhookId}`
  const change = async (_: WebhookFields, changed: Partial<WebhookFields>) => {
    await mutate(() => docOf(docId).webhooks.update(webhookId, changed), 'Webhook saved.')
    await navigate(back, { replace: true })
  }
  return (
    <WebhookForm
      title={`Edit “${nameOf(webhook)}”`}
      submit="Save"
      initial={toFields(webhook)}
      back={back}
      onSubmit={change}
    />
  )
}

/** The fields of a webhook that owners set. */
function toFields({ fields: { unsubscribeKey: _, ...fields } }: Webhook): WebhookFields {
  return {
    ...fields,
    tableId: fields.tableId ?? '',
    eventTypes: eventTypes.filter((type) => fields.eventTypes.includes(type)),
  }
}
