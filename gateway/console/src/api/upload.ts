import { ApiError, fetchSession, parseError, writeHeaders } from './client'

/** How far an upload is. */
export interface UploadProgress {
  /** Part of the file that has been sent, 0 to 1. */
  readonly sent: number
  /** The last line of the answer that came while the work went on, parsed. */
  readonly told?: unknown
}

interface UploadOptions {
  readonly form: FormData
  /** Media type that is asked for. */
  readonly accept: string
  readonly signal: AbortSignal
  readonly onProgress: (progress: UploadProgress) => void
}

/**
 * Sends a form with files, which fetch could not tell the progress of; resolves to the text of the answer. Rejects with
 * ApiError, also when it is stopped by the signal.
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
    request.onprogress = () => onProgress({ sent: 1, told: lastLine(request.responseText) })
    request.onload = () => {
      const { status, responseText } = request
      if (status >= 200 && status < 300) resolve(responseText)
      else {
        const error = parseError(status, responseText)
        // Whoever uploads it once more does so with the session there is now, or is sent to sign in.
        if (error.isAuthError) fetchSession().catch(() => {})
        reject(error)
      }
    }
    request.onerror = () =>
      reject(new ApiError(0, 'The upload broke off. Check the connection, then try again.'))
    request.onabort = () => reject(new ApiError(0, 'The upload was stopped.'))
    signal.addEventListener('abort', () => request.abort(), { once: true })
    request.send(form)
  })
}

/** The last whole line of a text, parsed; undefined while there is none. */
function lastLine(text: string): unknown {
  const line = text.slice(0, text.lastIndexOf('\n') + 1).trimEnd()
  if (line === '') return undefined
  return JSON.parse(line.slice(line.lastIndexOf('\n') + 1))
}
