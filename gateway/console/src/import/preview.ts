import type { ImportOptions, ImportPreview, UploadProgress } from '@sheaf/client'
import { sheaf, fractionOf } from '../api/sheaf'

/** Bytes of delimited text from which only this many are sent for a preview. */
const PART_BYTES = 1024 * 1024
const NEWLINE = 10

interface PreviewRequest {
  /** Path of the import. */
  readonly path: string
  readonly options: ImportOptions
  readonly signal: AbortSignal
  /** Called with the fraction of the file that was sent. */
  readonly onSent: (sent: number) => void
}

/** Reads what a file would become. Of long CSV and TSV files only the beginning is sent. */
export async function previewFile(file: File, request: PreviewRequest): Promise<ImportPreview> {
  const { path, options, signal, onSent } = request
  const part = await beginningOf(file)
  const upload = () => {
    const form = new FormData()
    form.set('options', JSON.stringify(options))
    if (part) form.set('part', 'true')
    form.set('upload', part ?? file, file.name)
    const onProgress = (progress: UploadProgress) => onSent(fractionOf(progress))
    return { form, total: (part ?? file).size, onProgress }
  }
  const call = { method: 'POST', path: `${path}/preview`, upload, isLong: true } as const
  const response = await sheaf().fetch(call, { signal })
  return (await response.json()) as ImportPreview
}

/** The first lines of a long text file; undefined for a file that is sent whole. */
async function beginningOf(file: File): Promise<Blob | undefined> {
  if (file.size <= PART_BYTES || !/\.(csv|tsv|tab|txt)$/i.test(file.name)) return undefined
  const bytes = new Uint8Array(await file.slice(0, PART_BYTES).arrayBuffer())
  const end = bytes.lastIndexOf(NEWLINE) + 1
  return file.slice(0, end === 0 ? PART_BYTES : end)
}
