import { useCallback, useState, type ReactNode } from 'react'
import { useToaster } from '../components/toast'
import { ImportDialog, type ImportTarget } from './import-dialog'
import { useFileDrop } from './use-file-drop'

/** Imports a file that is dropped anywhere on the page, into one of the workspaces. */
export function FileDrop(props: { readonly workspaces: readonly ImportTarget[] }): ReactNode {
  const { workspaces } = props
  const [file, setFile] = useState<File>()
  const toaster = useToaster()
  const drop = useCallback(
    (files: readonly File[]) => {
      if (files.length > 1) toaster.show('Drop one file at a time.')
      else setFile(files[0])
    },
    [toaster],
  )
  const isOver = useFileDrop(drop)
  return (
    <>
      {isOver && (
        <div className="file-drop" role="status">
          <p>Drop the file to import it as a document.</p>
        </div>
      )}
      {file && (
        <ImportDialog workspaces={workspaces} file={file} onClose={() => setFile(undefined)} />
      )}
    </>
  )
}
