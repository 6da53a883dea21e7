import type { ImportOptions, PreviewedTable } from '@sheaf/client'
import { useEffect, useRef, useState } from 'react'
import { optionsToImport } from './import-options'
import { importFile, type ImportField, type ImportProgress } from './import-file'
import { useImportPreview, type PreviewState } from './use-import-preview'

/** A file to import, as it is shown in a dialog. */
export interface FileImport {
  readonly file: File | undefined
  readonly chooseFile: (file: File | undefined) => void
  /** What the file becomes. */
  readonly reading: PreviewState
  /** The options that the user has chosen. */
  readonly options: ImportOptions
  readonly setOptions: (options: ImportOptions) => void
  /** The table of the file that is shown. */
  readonly table: PreviewedTable | undefined
  readonly showTable: (tableId: string) => void
  /** True if the file can be imported as it is shown. */
  readonly canImport: boolean
  /** Progress of the import; undefined while there is none. */
  readonly progress: ImportProgress | undefined
  /** Imports the file with further fields of the form. Rejects if there is none. */
  readonly run: <T>(fields: readonly ImportField[]) => Promise<T>
}

/**
 * The state of importing a file to a path. The import is canceled when the component is unmounted.
 * @param given the file; by default the user chooses it
 */
export function useFileImport(given: File | undefined, path: string): FileImport {
  const [file, setFile] = useState(given)
  const [options, setOptions] = useState<ImportOptions>({})
  const [shown, showTable] = useState('')
  const [progress, setProgress] = useState<ImportProgress>()
  const reading = useImportPreview(file, path, options)
  const abort = useRef(new AbortController())
  useEffect(() => {
    const controller = new AbortController()
    abort.current = controller
    return () => controller.abort()
  }, [])
  const { preview, isLoading, error } = reading
  const run = async <T>(fields: readonly ImportField[]): Promise<T> => {
    if (!file || !preview) throw new Error('there is no file')
    const read = optionsToImport(options, preview)
    const { signal } = abort.current
    try {
      return await importFile<T>(path, {
        file,
        fields,
        options: read,
        signal,
        onProgress: setProgress,
      })
    } finally {
      setProgress(undefined)
    }
  }
  return {
    file,
    chooseFile: (next) => {
      setFile(next)
      setOptions({})
    },
    reading,
    options,
    setOptions,
    table: preview?.tables.find(({ id }) => id === shown) ?? preview?.tables[0],
    showTable,
    canImport: preview !== undefined && !isLoading && !error,
    progress,
    run,
  }
}
