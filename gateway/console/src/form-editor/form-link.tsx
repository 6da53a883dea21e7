import { queryOptions, useQuery } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import { docPath } from '../api/paths'
import { sheaf } from '../api/sheaf'
import { Button } from '../components/button'
import { CopyText } from '../components/copy-text'
import { ConfirmDialog } from '../components/overlays/dialog'
import { Section } from '../components/page'
import { ErrorNote } from '../components/states'
import { useApiMutation } from '../components/use-api-mutation'
import { useDocumentContext } from '../document-context/document-context'

/** The link of a form, as the API describes it. */
interface Shared {
  readonly link: { readonly url: string; readonly key: string } | null
}

const pathOf = (docId: string, viewId: number) => `${docPath(docId)}/forms/${viewId}/link`

const linkQuery = (docId: string, viewId: number) =>
  queryOptions({
    queryKey: ['document', docId, 'form-link', viewId],
    queryFn: ({ signal }) =>
      sheaf().request<Shared>({ method: 'GET', path: pathOf(docId, viewId) }, { signal }),
  })

type Asked = 'renew' | 'stop'

/** Whether, and by which link, a form is open to people without an account. Owners decide that. */
export function FormLink({ viewId }: { readonly viewId: number }): ReactNode {
  const { docId, document } = useDocumentContext()
  const query = linkQuery(docId, viewId)
  const { data, error } = useQuery(query)
  const { mutate, mutateOrToast, isBusy } = useApiMutation(query.queryKey)
  const [asked, setAsked] = useState<Asked>()
  const path = pathOf(docId, viewId)
  const share = (renew: boolean) =>
    sheaf().request<Shared>({ method: 'POST', path, json: { renew }, isRepeatable: !renew })
  const stop = () => sheaf().request<null>({ method: 'DELETE', path, isRepeatable: true })
  const isOwner = document.access === 'owners'
  const link = data?.link ?? null
  return (
    <Section
      title="Link"
      description="Anyone with the link can add rows with this form, without signing in. They see its questions, and nothing else of the document."
    >
      <ErrorNote error={error} />
      {link && (
        <>
          <CopyText label="Link of the form" text={link.url} />
          <p className="note">
            To fill in an answer beforehand, add it to the link, as in{' '}
            <code>?prefill_Name=Ada</code>.
          </p>
          <p className="form-link-actions">
            <a className="button" href={link.url} target="_blank" rel="noreferrer">
              Open form
            </a>
            {isOwner && (
              <>
                <Button onClick={() => setAsked('renew')}>New link…</Button>
                <Button kind="danger" onClick={() => setAsked('stop')}>
                  Stop sharing…
                </Button>
              </>
            )}
          </p>
        </>
      )}
      {data && !link && (
        <>
          <p>This form is not shared.</p>
          {isOwner ? (
            <Button
              isBusy={isBusy}
              onClick={() => mutateOrToast(() => share(false), 'The form has a link.')}
            >
              Share with a link
            </Button>
          ) : (
            <p className="note">Only owners of the document can share it.</p>
          )}
        </>
      )}
      {asked === 'renew' && (
        <ConfirmDialog
          title="Create a new link?"
          confirm="Create link"
          onClose={() => setAsked(undefined)}
          onConfirm={() => mutate(() => share(true), 'The form has a new link.')}
        >
          <p>The current link stops working immediately, for everyone who has it.</p>
        </ConfirmDialog>
      )}
      {asked === 'stop' && (
        <ConfirmDialog
          title="Stop sharing this form?"
          confirm="Stop sharing"
          onClose={() => setAsked(undefined)}
          onConfirm={() => mutate(stop, 'The form is no longer shared.')}
        >
          <p>Its link stops working at once. If you share the form again, it gets another link.</p>
        </ConfirmDialog>
      )}
    </Section>
  )
}
