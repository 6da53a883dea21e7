import { useState, type ReactNode } from 'react'
import { useApiMutation } from '../components/use-api-mutation'
import { Button } from '../components/button'
import { ConfirmDialog } from '../components/dialog'
import { CopyText } from '../components/copy-text'
import { Section } from '../components/page'
import { Time } from '../components/time'
import { readSecrets, rotateSecret, type Secrets } from './webhook-queries'
import { isoTime } from './webhook-state'

interface SecretSectionProps {
  readonly docId: string
  readonly webhookId: string
}

/** The secret that signs the deliveries: shown on request, and changed. */
export function SecretSection({ docId, webhookId }: SecretSectionProps): ReactNode {
  const [secrets, setSecrets] = useState<Secrets>()
  const [isAsked, setAsked] = useState(false)
  const { isBusy, mutate, mutateOrToast } = useApiMutation()
  const read = async () => setSecrets(await readSecrets(docId, webhookId))
  const rotate = async () => {
    await mutate(() => rotateSecret(docId, webhookId), 'There is a new secret.')
    // Apart from it: whoever confirmed once more, because it could not be shown, would end the old one.
    setSecrets(undefined)
    mutateOrToast(read)
  }
  return (
    <Section
      title="Secret"
      about="Signs every delivery, so that the receiver can tell that it is from here. Libraries for Standard Webhooks take it as it is."
      actions={
        <>
          {secrets ? (
            <Button onClick={() => setSecrets(undefined)}>Hide secret</Button>
          ) : (
            <Button isBusy={isBusy} onClick={() => mutateOrToast(read)}>
              Show secret
            </Button>
          )}
          <Button onClick={() => setAsked(true)}>New secret</Button>
        </>
      }
    >
      {secrets && <CopyText label="secret" text={secrets.secret} />}
      {secrets && secrets.previousSecret !== null && (
        <p className="note">
          Deliveries are signed with the secret before it too, until{' '}
          <Time at={isoTime(secrets.previousUntil)} />.
        </p>
      )}
      {isAsked && (
        <ConfirmDialog
          title="Make a new secret?"
          confirm="Make new secret"
          onClose={() => setAsked(false)}
          onConfirm={rotate}
        >
          <p>
            For a day deliveries are signed with the old one too: give the receiver the new one in
            that time. Another new secret before then ends the old one at once.
          </p>
        </ConfirmDialog>
      )}
    </Section>
  )
}
