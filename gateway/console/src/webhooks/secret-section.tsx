import type { WebhookSecrets } from '@sheaf/client'
import { useState, type ReactNode } from 'react'
import { docOf } from '../api/sheaf'
import { useApiMutation } from '../components/use-api-mutation'
import { Button } from '../components/button'
import { ConfirmDialog } from '../components/overlays/dialog'
import { CopyText } from '../components/copy-text'
import { Section } from '../components/page'
import { Time } from '../components/time'
import { isoTime } from './webhook-state'

interface SecretSectionProps {
  readonly docId: string
  readonly webhookId: string
}

/** The signing secret: shown on request, and replaced. */
export function SecretSection({ docId, webhookId }: SecretSectionProps): ReactNode {
  const [secrets, setSecrets] = useState<WebhookSecrets>()
  const [isConfirming, setConfirming] = useState(false)
  const { isBusy, mutate, mutateOrToast } = useApiMutation()
  const { webhooks } = docOf(docId)
  const show = async () => setSecrets(await webhooks.secrets(webhookId))
  const rotate = async () => {
    await mutate(() => webhooks.rotateSecret(webhookId), 'New secret created.')
    // Separate from the mutation: if showing it failed in the dialog, confirming again would revoke the old secret.
    setSecrets(undefined)
    mutateOrToast(show)
  }
  return (
    <Section
      title="Secret"
      description="Signs deliveries, so that the receiver can verify them. Works with Standard Webhooks libraries."
      actions={
        <>
          {secrets ? (
            <Button onClick={() => setSecrets(undefined)}>Hide secret</Button>
          ) : (
            <Button isBusy={isBusy} onClick={() => mutateOrToast(show)}>
              Show secret
            </Button>
          )}
          <Button onClick={() => setConfirming(true)}>New secret</Button>
        </>
      }
    >
      {secrets && <CopyText label="secret" text={secrets.secret} />}
      {secrets && secrets.previousSecret !== null && (
        <p className="note">
          Deliveries are also signed with the previous secret until{' '}
          <Time at={isoTime(secrets.previousUntil)} />.
        </p>
      )}
      {isConfirming && (
        <ConfirmDialog
          title="Create a new secret?"
          confirm="Create secret"
          onClose={() => setConfirming(false)}
          onConfirm={rotate}
        >
          <p>
            Deliveries are signed with both secrets for one day. Update the receiver within that
            time. Creating another secret before then revokes the old one immediately.
          </p>
        </ConfirmDialog>
      )}
    </Section>
  )
}
