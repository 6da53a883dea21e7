import { useState, type ReactNode, type SyntheticEvent } from 'react'
import { orgsQuery } from '../api/resources'
import { requestText } from '../api/sheaf'
import { useApiMutation } from '../components/use-api-mutation'
import { Button } from '../components/button'
import { TextField } from '../components/field'
import { Section } from '../components/page'
import { sessionQuery, useCurrentUser } from '../session/session-provider'

/** Name and email address of the user. */
export function PersonSection(): ReactNode {
  const user = useCurrentUser()
  const [name, setName] = useState(user.name)
  const { isBusy, mutateOrToast } = useApiMutation(sessionQuery.queryKey, orgsQuery.queryKey)
  const trimmed = name.trim()
  const save = (event: SyntheticEvent) => {
    event.preventDefault()
    mutateOrToast(
      () =>
        requestText({ method: 'POST', path: '/api/profile/user/name', json: { name: trimmed } }),
      'Name saved.',
    )
  }
  return (
    <Section title="Profile">
      <dl className="facts">
        <dt>Email</dt>
        <dd>{user.email}</dd>
      </dl>
      <form className="inline-form" onSubmit={save}>
        <TextField
          label="Name"
          value={name}
          required
          maxLength={256}
          autoComplete="name"
          onChange={({ target }) => setName(target.value)}
        />
        <Button
          type="submit"
          kind="primary"
          isBusy={isBusy}
          disabled={trimmed === '' || trimmed === user.name}
        >
          Save name
        </Button>
      </form>
    </Section>
  )
}
