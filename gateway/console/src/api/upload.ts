import { ApiError, fetchSession, parseError, writeHeaders } from './client'

/** Progress of an upload. */
export interface UploadProgress {
  /** Fraction of the request that was sent, 0 to 1. */
  readonly sent: number
  /** Latest line of a streamed response, parsed. */
  readonly line?: unknown
}

interface UploadOptions {
  readonly form: FormData
  /** Media type of the response. */
  readonly accept: string
  readonly signal: AbortSignal
  readonly onProgress: (progress: UploadProgress) => void
}

/**
 * Sends a form with files. Uses XMLHttpRequest, because fetch does not report upload progress. Resolves to the
 * text of the response. Rejects with ApiError, also if the signal aborts it.
 */
export function upload(path: string, options: UploadOptions): Promise<string> {
  const { form, accept, signal, onProgress } = options
  const request = new XMLHttpRequest()
  return new Promise((resolve, reject) => {
    let sent = 0
    request.open('POST', path)
    request.setRequestHeader('Accept', accept)
    for (const [name, value] of Object.entries(writeHeaders()))
      request.setRequestHeader(name, value)
    request.upload.onprogress = ({ loaded, total }) => {
      sent = total > 0 ? loaded / total : 0
      onProgress({ sent })
    }
    request.onprogress = () => onProgress({ sent: 1, line: lastLine(request.responseText) })
    request.onload = () => {
      const { status, responseText } = request
      if (status >= 200 && status < 300) resolve(responseText)
      else {
        const error = parseError(status, responseText)
        // A retry then uses the current session, or redirects to the sign-in page.
        if (error.isAuthError) fetchSession().catch(() => {})
        reject(error)
      }
    }
    request.onerror = () =>
      reject(new ApiError(0, 'The upload was interrupted. Check your connection and try again.'))
    request.onabort = () => reject(new ApiError(0, 'The upload was canceled.'))
    signal.addEventListener('abort', () => request.abort(), { once: true })
    request.send(form)
  })
}

/** Parses the last complete line of a text; undefined if there is none. */
function lastLine(text: string): unknown {
  const line = text.slice(0, text.lastIndexOf('\n') + 1).trimEnd()
  if (line === '') return undefined
  return JSON.parse(line.slice(line.lastIndexOf('\n') + 1))
}
