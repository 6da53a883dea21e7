import { useEffect, useRef, useState, type ReactNode } from 'react'
import { useNavigate } from 'react-router'
import { ApiError } from '../api/client'
import type { Workspace } from '../api/resources'
import { upload, type UploadProgress } from '../api/upload'
import { useApiMutation } from '../components/use-api-mutation'
import { Button } from '../components/button'
import { Dialog, FormDialog } from '../components/dialog'
import { Field, TextField } from '../components/field'

interface ImportDialogProps {
  readonly workspace: Workspace
  readonly onClose: () => void
}

/** The new document, and what of the file was left out or changed. */
interface Imported {
  readonly id: string
  readonly title: string
  readonly notes: readonly string[]
}

/** A line of the streamed response to an import. */
interface ImportLine {
  readonly progress?: { readonly rowsRead: number; readonly rowsStored: number }
  readonly document?: Imported
  readonly error?: string
  readonly details?: { readonly status?: number }
}

/** Imports a file as a document, and shows the progress. */
export function ImportDialog({ workspace, onClose }: ImportDialogProps): ReactNode {
  const [file, setFile] = useState<File>()
  const [name, setName] = useState('')
  const [progress, setProgress] = useState<UploadProgress>()
  const [made, setMade] = useState<Imported>()
  const navigate = useNavigate()
  const abort = useRef(new AbortController())
  const { mutate } = useApiMutation(['workspaces'])
  // Closing the dialog cancels the import.
  useEffect(() => {
    const controller = new AbortController()
    abort.current = controller
    return () => controller.abort()
  }, [])
  const submit = async () => {
    if (!file) return
    const form = new FormData()
    if (name.trim() !== '') form.set('name', name.trim())
    form.set('upload', file)
    const { signal } = abort.current
    try {
      const imported = await mutate(() =>
        importFile(workspace.id, { form, signal, onProgress: setProgress }),
      )
      if (imported.notes.length > 0) setMade(imported)
      else void navigate(`/docs/${imported.id}`)
    } finally {
      setProgress(undefined)
    }
  }
  if (made) return <ImportedDialog made={made} onClose={onClose} />
  return (
    <FormDialog
      staysOpen
      title={`Import into “${workspace.name}”`}
      submit="Import"
      canSubmit={file !== undefined}
      onClose={onClose}
      onSubmit={submit}
    >
      <Field label="File" hint="CSV, TSV, XLSX, JSON, a Grist document, or a SQLite file.">
        {(control) => (
          <input
            type="file"
            {...control}
            accept=".csv,.tsv,.xlsx,.json,.grist,.sqlite,.sqlite3,.db"
            onChange={({ target }) => setFile(target.files?.[0])}
          />
        )}
      </Field>
      <TextField
        label="Document name"
        hint="Defaults to the file name."
        value={name}
        maxLength={256}
        onChange={({ target }) => setName(target.value)}
      />
      {/* Reserved space, so that the layout does not shift. */}
      <div className="progress-room" role="status">
        {progress && <Progress progress={progress} />}
      </div>
    </FormDialog>
  )
}

/** Tells what of the file was left out or changed, before the document is opened. */
function ImportedDialog({ made, onClose }: { made: Imported; onClose: () => void }): ReactNode {
  const navigate = useNavigate()
  return (
    <Dialog title={`“${made.title}” is imported`} onClose={onClose}>
      <p>Not everything in the file could be imported as it was:</p>
      <ul>
        {made.notes.map((note) => (
          <li key={note}>{note}</li>
        ))}
      </ul>
      <footer className="dialog-foot">
        <Button onClick={onClose}>Close</Button>
        <Button kind="primary" onClick={() => void navigate(`/docs/${made.id}`)}>
          Open document
        </Button>
      </footer>
    </Dialog>
  )
}

interface ImportOptions {
  readonly form: FormData
  readonly signal: AbortSignal
  readonly onProgress: (progress: UploadProgress) => void
}

async function importFile(workspaceId: number, options: ImportOptions): Promise<Imported> {
  const path = `/api/workspaces/${workspaceId}/import`
  const text = await upload(path, { ...options, accept: 'application/x-ndjson' })
  const last = JSON.parse(text.trimEnd().split('\n').at(-1) ?? '') as ImportLine
  if (last.document) return last.document
  throw new ApiError(last.details?.status ?? 500, last.error ?? 'The import was interrupted.')
}

function Progress({ progress: { sent, line } }: { readonly progress: UploadProgress }): ReactNode {
  const rows = (line as ImportLine | undefined)?.progress
  return (
    <>
      <progress aria-label="Upload" value={sent} max={1} />
      <p className="note">
        {rows
          ? `${rows.rowsStored.toLocaleString()} of ${rows.rowsRead.toLocaleString()} rows stored`
          : `${Math.round(sent * 100)}% uploaded`}
      </p>
    </>
  )
}
