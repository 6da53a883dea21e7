import type { Workspace } from '@sheaf/client'
import { useState, type ReactNode } from 'react'
import { useNavigate } from 'react-router'
import { useApiMutation } from '../components/use-api-mutation'
import { useLateNavigate } from '../components/use-late-navigate'
import { Button } from '../components/button'
import { FormDialog } from '../components/overlays/dialog'
import { SelectField, TextField } from '../components/field'
import { FileField } from './file-field'
import { ImportedDialog } from './imported-dialog'
import { PreviewPart } from './preview-part'
import { ProgressRoom } from './progress-room'
import { useFileImport } from './use-file-import'

/** The new document, and what of the file was left out or changed. */
interface Imported {
  readonly id: string
  readonly title: string
  readonly notes: readonly string[]
}

/** A workspace, with the name by which the user knows it on the page. */
export type ImportTarget = Pick<Workspace, 'id' | 'name'>

interface ImportDialogProps {
  /** Where the document can go, at least one workspace. */
  readonly workspaces: readonly ImportTarget[]
  /** The file; by default the dialog asks for it. */
  readonly file?: File
  readonly onClose: () => void
}

/** Imports a file as a document: shows what it becomes, lets the user change how it is read, and shows the progress. */
export function ImportDialog({ workspaces, file: given, onClose }: ImportDialogProps): ReactNode {
  const [chosen, setChosen] = useState(workspaces[0]?.id ?? 0)
  const [name, setName] = useState('')
  const [made, setMade] = useState<Imported>()
  const of = useFileImport(given, `/api/workspaces/${chosen}/import`)
  const navigate = useNavigate()
  const navigateLate = useLateNavigate()
  const { mutate } = useApiMutation(['workspaces'])
  const submit = async () => {
    const fields = name.trim() === '' ? [] : [['name', name.trim()] as const]
    const imported = await mutate(() => of.run<Imported>(fields))
    if (imported.notes.length > 0) setMade(imported)
    else await navigateLate(`/docs/${imported.id}`)
  }
  if (made)
    return (
      <ImportedDialog title={`“${made.title}” is imported`} notes={made.notes} onClose={onClose}>
        <Button kind="primary" onClick={() => void navigate(`/docs/${made.id}`)}>
          Open document
        </Button>
      </ImportedDialog>
    )
  return (
    <FormDialog
      staysOpen
      className="import"
      title={titleOf(workspaces, given)}
      submit="Import"
      canSubmit={of.canImport}
      onClose={onClose}
      onSubmit={submit}
    >
      {!given && <FileField onFile={of.chooseFile} />}
      {of.file && <PreviewPart of={of} />}
      <div className="import-target">
        {workspaces.length > 1 && (
          <SelectField
            label="Workspace"
            value={String(chosen)}
            options={workspaces.map(({ id, name: shown }) => [String(id), shown] as const)}
            onChange={({ target }) => setChosen(Number(target.value))}
          />
        )}
        <TextField
          label="Document name"
          hint="Defaults to the file name."
          value={name}
          maxLength={256}
          onChange={({ target }) => setName(target.value)}
        />
      </div>
      <ProgressRoom of={of} />
    </FormDialog>
  )
}

function titleOf(workspaces: readonly ImportTarget[], file: File | undefined): string {
  const what = file ? `Import “${file.name}”` : 'Import'
  return workspaces.length > 1 ? what : `${what} into “${workspaces[0]?.name ?? ''}”`
}
