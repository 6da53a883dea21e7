import { useQuery } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import { Link } from 'react-router'
import { useApiMutation } from '../components/use-api-mutation'
import { Button } from '../components/button'
import { CopyText } from '../components/copy-text'
import { ConfirmDialog } from '../components/overlays/dialog'
import { Section } from '../components/page'
import { ErrorState, Loading } from '../components/states'
import { createDefaultKey, defaultKeyQuery, keysKey, revokeDefaultKey } from './api-keys'

/** The default API key of the user. Creating it shows it once; removing it revokes it. */
export function ApiSection(): ReactNode {
  const { data: masked, error, refetch } = useQuery(defaultKeyQuery)
  const [created, setCreated] = useState<string>()
  const [isRemoving, setRemoving] = useState(false)
  const { isBusy, mutate, mutateOrToast } = useApiMutation(keysKey)
  const create = () => mutateOrToast(async () => setCreated(await createDefaultKey()))
  const remove = async () => {
    await mutate(revokeDefaultKey, 'API key revoked.')
    setCreated(undefined)
  }
  return (
    <Section
      title="API"
      description={
        <>
          Programs that use your API key have the same access as you.{' '}
          <Link to="/api">API reference</Link>
        </>
      }
    >
      {error && <ErrorState error={error} onRetry={() => void refetch()} />}
      {masked === undefined && !error && <Loading what="your API key" />}
      {masked === '' && (
        <div className="actions">
          <span>You have no API key.</span>
          <Button kind="primary" isBusy={isBusy} onClick={create}>
            Create
          </Button>
        </div>
      )}
      {masked !== undefined && masked !== '' && (
        <>
          {created !== undefined && (
            <p>
              <strong>Copy the key now. It will not be shown again.</strong>
            </p>
          )}
          <div className="actions">
            {created === undefined ? (
              <code aria-label="API key, masked">{masked}</code>
            ) : (
              <CopyText label="API key" text={created} takesFocus />
            )}
            <Button kind="danger" onClick={() => setRemoving(true)}>
              Remove
            </Button>
          </div>
        </>
      )}
      {isRemoving && (
        <ConfirmDialog
          title="Remove the API key?"
          confirm="Remove key"
          onClose={() => setRemoving(false)}
          onConfirm={remove}
        >
          <p>Programs that use it lose access immediately. You can create a new key afterwards.</p>
        </ConfirmDialog>
      )}
    </Section>
  )
}
