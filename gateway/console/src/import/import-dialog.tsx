import type { Workspace } from '@sheaf/client'
import { useEffect, useRef, useState, type ReactNode } from 'react'
import { useNavigate } from 'react-router'
import { useApiMutation } from '../components/use-api-mutation'
import { Button } from '../components/button'
import { Dialog, FormDialog } from '../components/dialog'
import { Field, SelectField, TextField } from '../components/field'
import { countRows, optionsToImport } from './import-options'
import { importFile, partDone, type Imported, type ImportProgress } from './import-file'
import type { ReadOptions } from './preview'
import { PreviewPart } from './preview-part'
import { useImportPreview } from './use-import-preview'

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
  const [file, setFile] = useState(given)
  const [options, setOptions] = useState<ReadOptions>({})
  const [chosen, setChosen] = useState(workspaces[0]?.id ?? 0)
  const [name, setName] = useState('')
  const [progress, setProgress] = useState<ImportProgress>()
  const [made, setMade] = useState<Imported>()
  const reading = useImportPreview(file, `/api/workspaces/${chosen}/import`, options)
  const navigate = useNavigate()
  const abort = useRef(new AbortController())
  const { mutate } = useApiMutation(['workspaces'])
  // Closing the dialog cancels the import.
  useEffect(() => {
    const controller = new AbortController()
    abort.current = controller
    return () => controller.abort()
  }, [])
  const { preview, isLoading, error } = reading
  const submit = async () => {
    if (!file || !preview) return
    const request = {
      file,
      name: name.trim(),
      options: optionsToImport(options, preview),
      signal: abort.current.signal,
      onProgress: setProgress,
    }
    try {
      const imported = await mutate(() => importFile(chosen, request))
      if (imported.notes.length > 0) setMade(imported)
      else void navigate(`/docs/${imported.id}`)
    } finally {
      setProgress(undefined)
    }
  }
  const chooseFile = (next: File | undefined) => {
    setFile(next)
    setOptions({})
  }
  if (made) return <ImportedDialog made={made} onClose={onClose} />
  return (
    <FormDialog
      staysOpen
      className="import"
      title={titleOf(workspaces, given)}
      submit="Import"
      canSubmit={preview !== undefined && !isLoading && !error}
      onClose={onClose}
      onSubmit={submit}
    >
      {!given && <FileField onFile={chooseFile} />}
      {file && <PreviewPart reading={reading} options={options} onChange={setOptions} />}
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
      {/* Reserved space, so that the layout does not shift. */}
      <div className="progress-room" role="status">
        {progress && <Progress progress={progress} total={preview && countRows(preview)} />}
      </div>
    </FormDialog>
  )
}

function titleOf(workspaces: readonly ImportTarget[], file: File | undefined): string {
  const what = file ? `Import “${file.name}”` : 'Import'
  return workspaces.length > 1 ? what : `${what} into “${workspaces[0]?.name ?? ''}”`
}

interface FileFieldProps {
  readonly onFile: (file: File | undefined) => void
}

function FileField({ onFile }: FileFieldProps): ReactNode {
  return (
    <Field label="File" hint="CSV, TSV, XLSX, JSON, a Grist document, or a SQLite file.">
      {(control) => (
        <input
          type="file"
          {...control}
          accept=".csv,.tsv,.xlsx,.json,.grist,.sqlite,.sqlite3,.db"
          onChange={({ target }) => onFile(target.files?.[0])}
        />
      )}
    </Field>
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

interface ProgressProps {
  readonly progress: ImportProgress
  /** Number of rows, if it is known. */
  readonly total: number | undefined
}

function Progress({ progress, total }: ProgressProps): ReactNode {
  return (
    <>
      <progress aria-label="Import" value={partDone(progress, total)} max={1} />
      <p className="note">{progressText(progress, total)}</p>
    </>
  )
}

function progressText({ sent, rows }: ImportProgress, total: number | undefined): string {
  if (sent < 1) return `${Math.round(sent * 100)}% uploaded`
  if (!rows) return 'Uploaded. Reading the rows…'
  const { rowsRead, rowsStored } = rows
  const all = total?.toLocaleString()
  if (rowsStored === 0) return `${rowsRead.toLocaleString()}${all ? ` of ${all}` : ''} rows read`
  return `${rowsStored.toLocaleString()} of ${all ?? rowsRead.toLocaleString()} rows stored`
}
