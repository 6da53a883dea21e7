import { SheafError, type ImportOptions, type UploadProgress } from '@sheaf/client'
import { fractionOf, sheaf } from '../api/sheaf'

/** Progress of an import. */
export interface ImportProgress {
  /** Fraction of the file that was sent, 0 to 1. */
  readonly sent: number
  /** Numbers of rows, once the file was sent. */
  readonly rows?: { readonly rowsRead: number; readonly rowsStored: number }
}

/**
 * Returns the part that is done: of the upload, and then of the rows, which are read twice. Undefined when their number is
 * not known or no row was reported yet.
 */
export function partDone({ sent, rows }: ImportProgress, total?: number): number | undefined {
  if (sent < 1) return sent
  if (!rows || total === undefined || total === 0) return undefined
  return Math.min(1, (rows.rowsRead + rows.rowsStored) / (2 * total))
}

/** A line of the streamed response to an import. */
interface ImportLine {
  readonly progress?: ImportProgress['rows']
  readonly document?: unknown
  readonly imported?: unknown
  readonly error?: string
  readonly details?: { readonly status?: number; readonly reason?: string }
}

/** A field of the form of an import. */
export type ImportField = readonly [name: string, value: string]

interface ImportRequest {
  readonly file: File
  readonly fields: readonly ImportField[]
  readonly options: ImportOptions
  readonly signal: AbortSignal
  readonly onProgress: (progress: ImportProgress) => void
}

/**
 * Imports a file to a path of the API and returns what was made of it.
 * @typeParam T what the path returns
 */
export async function importFile<T>(path: string, options: ImportRequest): Promise<T> {
  const { file, fields, options: reading, signal, onProgress } = options
  const upload = () => {
    const form = new FormData()
    for (const [name, value] of fields) form.set(name, value)
    form.set('options', JSON.stringify(reading))
    form.set('upload', file)
    const onSent = (progress: UploadProgress) => onProgress({ sent: fractionOf(progress) })
    return { form, total: file.size, onProgress: onSent }
  }
  const headers = { accept: 'application/x-ndjson' }
  const call = { method: 'POST', path, headers, upload, isLong: true } as const
  const response = await sheaf().fetch(call, { signal })
  let last: ImportLine = {}
  try {
    for await (const line of readLines(response)) {
      last = JSON.parse(line) as ImportLine
      if (last.progress) onProgress({ sent: 1, rows: last.progress })
    }
  } catch (cause) {
    signal.throwIfAborted()
    const message = 'The import was interrupted. Check your connection and try again.'
    throw new Error(message, { cause })
  }
  const made = last.document ?? last.imported
  if (made !== undefined) return made as T
  const { error: message = 'The import was interrupted.', details = {} } = last
  const { status = 500, reason = 'UNEXPECTED_RESPONSE' } = details
  throw new SheafError({ status, reason, message, details })
}

/** Yields the lines of a response as they arrive. Not all browsers can iterate over its body. */
async function* readLines({ body }: Response): AsyncGenerator<string, void, undefined> {
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader()
  let begun = ''
  for (;;) {
    const read = await reader?.read()
    if (!read || read.done) break
    const [first = '', ...others] = read.value.split('\n')
    begun += first
    for (const next of others) {
      if (begun !== '') yield begun
      begun = next
    }
  }
  if (begun !== '') yield begun
}
