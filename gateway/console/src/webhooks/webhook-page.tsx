import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Link, useParams } from 'react-router'
import { Section } from '../components/page'
import { Empty, ErrorState, Loading } from '../components/states'
import { useDocumentContext } from '../document-context/document-context'
import { DeliveriesSection } from './deliveries-section'
import { OwnersOnly } from './owners-only'
import { SecretSection } from './secret-section'
import { WebhookActions } from './webhook-actions'
import { webhooksQuery } from './webhook-queries'
import { WebhookDetails } from './webhook-details'
import { nameOf } from './webhook-state'

/** A webhook: settings, delivery status, deliveries and secret. */
export function WebhookPage(): ReactNode {
  const { webhookId = '' } = useParams()
  return (
    <OwnersOnly>
      {/* The key resets the state, such as a shown secret, when the webhook changes. */}
      <WebhookView key={webhookId} webhookId={webhookId} />
    </OwnersOnly>
  )
}

function WebhookView({ webhookId }: { readonly webhookId: string }): ReactNode {
  const { docId } = useDocumentContext()
  const { data, error, refetch } = useQuery(webhooksQuery(docId))
  const webhook = data?.find(({ id }) => id === webhookId)
  return (
    <>
      <nav className="above" aria-label="Webhook">
        <Link to={`/docs/${docId}/webhooks`}>All webhooks</Link>
      </nav>
      {error && <ErrorState error={error} onRetry={() => void refetch()} />}
      {!data && !error && <Loading what="the webhook" />}
      {data && !webhook && (
        <Empty title="Webhook not found">
          <p>It may have been deleted, or the address may be wrong.</p>
        </Empty>
      )}
      {webhook && (
        <>
          <Section
            title={nameOf(webhook)}
            actions={<WebhookActions docId={docId} webhook={webhook} />}
          >
            <WebhookDetails webhook={webhook} />
          </Section>
          <DeliveriesSection docId={docId} webhookId={webhookId} />
          <SecretSection docId={docId} webhookId={webhookId} />
        </>
      )}
    </>
  )
}
