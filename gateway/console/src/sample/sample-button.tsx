import type { ReactNode } from 'react'
import { useNavigate } from 'react-router'
import { sheaf } from '../api/sheaf'
import { Button } from '../components/button'
import { useApiMutation } from '../components/use-api-mutation'
import { sampleContents, sampleViews } from './sample-contents'

/** Creates a document with a few tables to try everything with, and opens it. */
export function SampleButton({ workspaceId }: { readonly workspaceId: number }): ReactNode {
  const navigate = useNavigate()
  const { isBusy, mutateOrToast } = useApiMutation(['workspaces'])
  const create = async () => {
    const doc = await sheaf().documents.create({ workspaceId, name: 'Sample: team projects' })
    const tables = (await doc.tables()).map(({ id }) => ({ id }))
    await doc.batch([{ op: 'removeTables', tables }, ...sampleContents(new Date())])
    for (const [table, views] of Object.entries(sampleViews))
      await doc.table(table).views.add(views)
    void navigate(`/docs/${doc.id}`)
  }
  return (
    <Button isBusy={isBusy} onClick={() => mutateOrToast(create)}>
      Create a sample document
    </Button>
  )
}
