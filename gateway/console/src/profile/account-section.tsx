import { useState, type ReactNode } from 'react'
import { call } from '../api/client'
import { useApiMutation } from '../components/use-api-mutation'
import { Button } from '../components/button'
import { ConfirmDialog } from '../components/dialog'
import { Section } from '../components/page'
import { signOut } from '../session/sign-out'
import { useCurrentUser } from '../session/session-provider'

/** Ends sessions, and the account. */
export function AccountSection(): ReactNode {
  const user = useCurrentUser()
  const [isDeleting, setDeleting] = useState(false)
  const { isBusy, mutateOrToast } = useApiMutation()
  const remove = async () => {
    await call('DELETE', `/api/users/${user.id}`, { body: { name: user.name } })
    window.location.replace('/sign-in')
  }
  return (
    <Section title="Account">
      <div className="actions">
        <Button isBusy={isBusy} onClick={() => mutateOrToast(() => signOut(false))}>
          Sign out
        </Button>
        <Button isBusy={isBusy} onClick={() => mutateOrToast(() => signOut(true))}>
          Sign out everywhere
        </Button>
        <Button kind="danger" onClick={() => setDeleting(true)}>
          Delete account
        </Button>
      </div>
      <p className="note">
        Signing out everywhere ends your sessions in all browsers, this one too. API keys go on:
        remove them above.
      </p>
      {isDeleting && (
        <ConfirmDialog
          title="Delete your account?"
          confirm="Delete account"
          typed={user.name}
          onClose={() => setDeleting(false)}
          onConfirm={remove}
        >
          <p>
            Your personal site goes with it, with all its workspaces and documents, and so do your
            API keys. It cannot be undone.
          </p>
        </ConfirmDialog>
      )}
    </Section>
  )
}
