import { useState, type ReactNode } from 'react'
import { sheaf } from '../api/sheaf'
import { useApiMutation } from '../components/use-api-mutation'
import { Button } from '../components/button'
import { ConfirmDialog } from '../components/overlays/dialog'
import { Section } from '../components/page'
import { forgetUser, signOut } from '../session/sign-out'
import { useCurrentUser } from '../session/session-provider'

/** Signs the user out, or deletes the account. */
export function AccountSection(): ReactNode {
  const user = useCurrentUser()
  const [isDeleting, setDeleting] = useState(false)
  const { isBusy, mutateOrToast } = useApiMutation()
  const remove = async () => {
    const json = { name: user.name }
    await sheaf().request({ method: 'DELETE', path: `/api/users/${user.id}`, json })
    await forgetUser()
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
        “Sign out everywhere” ends your sessions in all browsers, including this one. API keys stay
        valid; revoke them above.
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
            This also deletes your personal site with all of its workspaces and documents, and your
            API keys. This cannot be undone.
          </p>
        </ConfirmDialog>
      )}
    </Section>
  )
}
