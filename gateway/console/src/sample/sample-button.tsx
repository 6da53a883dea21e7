import { useRef, type ReactNode } from 'react'
import { useNavigate } from 'react-router'
import { sheaf } from '../api/sheaf'
import { Button } from '../components/button'
import { useToaster } from '../components/toast'
import { useApiMutation } from '../components/use-api-mutation'
import { sampleContents, sampleViews } from './sample-contents'

/** Creates a document with a few tables to try everything with, and opens it. */
export function SampleButton({ workspaceId }: { readonly workspaceId: number }): ReactNode {
  const navigate = useNavigate()
  const toaster = useToaster()
  /** Null once the user has gone on to another page, which stays. */
  const button = useRef<HTMLButtonElement>(null)
  const { isBusy, mutateOrToast } = useApiMutation(['workspaces'])
  const create = async () => {
    const doc = await sheaf().documents.create({ workspaceId, name: 'Sample: team projects' })
    const tables = (await doc.tables()).map(({ id }) => ({ id }))
    await doc.batch([{ op: 'removeTables', tables }, ...sampleContents(new Date())])
    for (const [table, views] of Object.entries(sampleViews))
      await doc.table(table).views.add(views)
    if (button.current) void navigate(`/docs/${doc.id}`)
    else toaster.show('The sample document has been created.')
  }
  return (
    <Button ref={button} isBusy={isBusy} onClick={() => mutateOrToast(create)}>
      Create a sample document
    </Button>
  )
}
