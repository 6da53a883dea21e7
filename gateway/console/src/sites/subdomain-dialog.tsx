import { type Org, SheafError } from '@sheaf/client'
import { useState, type ReactNode } from 'react'
import { orgsQuery } from '../api/resources'
import { sheaf } from '../api/sheaf'
import { useApiMutation } from '../components/use-api-mutation'
import { FormDialog } from '../components/overlays/dialog'
import { TextField } from '../components/field'

interface SubdomainDialogProps {
  readonly org: Org
  readonly onClose: () => void
}

const isAboutSubdomain = (error: unknown) =>
  error instanceof SheafError && /DOMAIN/.test(error.reason)

/** Changes the subdomain of a team site. Errors about the subdomain are shown at the field. */
export function SubdomainDialog({ org, onClose }: SubdomainDialogProps): ReactNode {
  const [domain, setDomain] = useState(org.domain)
  const [fieldError, setFieldError] = useState<string>()
  const { mutate } = useApiMutation(orgsQuery.queryKey, ['document'])
  const subdomain = domain.trim().toLowerCase()
  const submit = async () => {
    setFieldError(undefined)
    const json = { domain: subdomain }
    try {
      const call = { method: 'PATCH', path: `/api/orgs/${org.id}`, json } as const
      await mutate(() => sheaf().request(call), 'Subdomain changed.')
    } catch (error) {
      if (isAboutSubdomain(error)) setFieldError((error as SheafError).message)
      throw error
    }
  }
  return (
    <FormDialog
      title="Change subdomain"
      submit="Change"
      canSubmit={subdomain !== '' && subdomain !== org.domain}
      isShownElsewhere={isAboutSubdomain}
      onClose={onClose}
      onSubmit={submit}
    >
      <p className="note">
        Part of the URLs of this site, such as <code>/o/{subdomain || org.domain}/api/…</code>
        {'. '}
        URLs with the old subdomain stop working.
      </p>
      <TextField
        label="Subdomain"
        hint="3 to 63 lowercase letters, digits and hyphens."
        error={fieldError}
        value={domain}
        required
        maxLength={63}
        spellCheck={false}
        autoCapitalize="none"
        onChange={({ target }) => {
          setDomain(target.value)
          setFieldError(undefined)
        }}
      />
    </FormDialog>
  )
}
