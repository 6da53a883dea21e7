import type { ImportOptions, ImportPreview } from '@sheaf/client'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { previewFile } from './preview'

/** The state of reading a file for a preview. */
export interface PreviewState {
  /** The latest preview of the file, which remains while it is read with other options, and when that fails. */
  readonly preview: ImportPreview | undefined
  /** Why the file cannot be read with the options. */
  readonly error: Error | null
  /** True while the file is read, for the first time or with other options. */
  readonly isLoading: boolean
  /** Fraction of what is read that was sent. */
  readonly sent: number
}

/** Reads what a file would become, again whenever the options change. */
export function useImportPreview(
  file: File | undefined,
  path: string,
  options: ImportOptions,
): PreviewState {
  const [sent, setSent] = useState(0)
  const [latest, setLatest] = useState<{ readonly file?: File; readonly preview?: ImportPreview }>(
    {},
  )
  const { data, error, isFetching } = useQuery({
    queryKey: [
      'import-preview',
      path,
      file && `${file.name}/${file.size}/${file.lastModified}`,
      options,
    ],
    queryFn: ({ signal }) => {
      if (!file) throw new Error('there is no file')
      setSent(0)
      return previewFile(file, { path, options, signal, onSent: setSent })
    },
    enabled: file !== undefined,
    staleTime: Infinity,
    gcTime: 0,
  })
  if (data && latest.preview !== data) setLatest({ file, preview: data })
  const preview = data ?? (latest.file === file ? latest.preview : undefined)
  return { preview, error, isLoading: isFetching, sent }
}
