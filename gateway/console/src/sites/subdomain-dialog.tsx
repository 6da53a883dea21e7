import { useState, type ReactNode } from 'react'
import { ApiError, call } from '../api/client'
import { orgsQuery, type Org } from '../api/resources'
import { useApiMutation } from '../components/use-api-mutation'
import { FormDialog } from '../components/dialog'
import { TextField } from '../components/field'

interface SubdomainDialogProps {
  readonly org: Org
  readonly onClose: () => void
}

const isAboutSubdomain = (error: unknown) =>
  error instanceof ApiError && /DOMAIN/.test(String(error.details.reason))

/** Gives a team site another subdomain; what the API says of it stands beside the field. */
export function SubdomainDialog({ org, onClose }: SubdomainDialogProps): ReactNode {
  const [domain, setDomain] = useState(org.domain)
  const [fault, setFault] = useState<string>()
  const { mutate } = useApiMutation(orgsQuery.queryKey, ['document'])
  const wanted = domain.trim().toLowerCase()
  const submit = async () => {
    setFault(undefined)
    const body = { domain: wanted }
    try {
      await mutate(
        () => call('PATCH', `/api/orgs/${org.id}`, { body }),
        'The subdomain is changed.',
      )
    } catch (error) {
      if (isAboutSubdomain(error)) setFault((error as ApiError).message)
      throw error
    }
  }
  return (
    <FormDialog
      title="Change subdomain"
      submit="Change"
      canSubmit={wanted !== '' && wanted !== org.domain}
      isShownElsewhere={isAboutSubdomain}
      onClose={onClose}
      onSubmit={submit}
    >
      <p className="note">
        It names this site in addresses, such as <code>/o/{wanted || org.domain}/api/…</code>
        {'. '}
        Programs that use the old one no longer find the site.
      </p>
      <TextField
        label="Subdomain"
        hint="Lower-case letters, digits and dashes; 3 to 63 of them."
        error={fault}
        value={domain}
        required
        maxLength={63}
        spellCheck={false}
        autoCapitalize="none"
        onChange={({ target }) => {
          setDomain(target.value)
          setFault(undefined)
        }}
      />
    </FormDialog>
  )
}
