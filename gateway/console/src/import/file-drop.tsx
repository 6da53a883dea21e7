import { useCallback, useState, type ReactNode } from 'react'
import { useToaster } from '../components/toast'
import { lazyComponent } from '../components/lazy-component'
import type { ImportTarget } from './import-dialog'
import { useFileDrop } from './use-file-drop'

const ImportDialog = lazyComponent(async () => (await import('./import-dialog')).ImportDialog)

/** Imports a file that is dropped anywhere on the page, into one of the workspaces. */
export function FileDrop(props: { readonly workspaces: readonly ImportTarget[] }): ReactNode {
  return (
    <DropArea hint="Drop the file to import it as a document.">
      {(file, close) => <ImportDialog workspaces={props.workspaces} file={file} onClose={close} />}
    </DropArea>
  )
}

interface DropAreaProps {
  /** What happens with a file that is dropped. */
  readonly hint: string
  /** Returns the dialog for a dropped file. */
  readonly children: (file: File, close: () => void) => ReactNode
}

/** Opens a dialog for a file that is dropped anywhere on the page. */
export function DropArea({ hint, children }: DropAreaProps): ReactNode {
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
          <p>{hint}</p>
        </div>
      )}
      {file && children(file, () => setFile(undefined))}
    </>
  )
}
