import type { HttpRequest, Upload } from './http-request.ts'

/** The part of XMLHttpRequest that is used; the types of Node do not have it. */
interface Xhr {
  readonly status: number
  readonly responseText: string
  readonly upload: {
    onprogress: ((event: { readonly loaded: number; readonly total: number }) => void) | null
  }
  onload: (() => void) | null
  onerror: (() => void) | null
  onabort: (() => void) | null
  open(method: string, url: string): void
  setRequestHeader(name: string, value: string): void
  getAllResponseHeaders(): string
  send(body: FormData): void
  abort(): void
}

/** Sends a form with XMLHttpRequest, which reports its progress. Rejects as `fetch` does. */
export function sendByXhr(
  { url, method, headers, signal }: HttpRequest,
  { form, total, onProgress }: Upload,
): Promise<Response> {
  const { XMLHttpRequest } = globalThis as unknown as { XMLHttpRequest: new () => Xhr }
  const request = new XMLHttpRequest()
  const abort = () => request.abort()
  const sent = new Promise<Response>((resolve, reject) => {
    request.open(method, url)
    headers.forEach((value, name) => request.setRequestHeader(name, value))
    request.upload.onprogress = ({ loaded, total: all }) =>
      // The size of the request is more than that of the files.
      onProgress?.({ sent: all > 0 ? Math.floor((total * loaded) / all) : 0, total })
    request.onload = () => resolve(toResponse(request))
    request.onerror = () => reject(new TypeError('the upload was interrupted'))
    request.onabort = () => reject(new TypeError('the upload was aborted'))
    request.send(form)
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true })
  })
  return sent.finally(() => signal.removeEventListener('abort', abort))
}

function toResponse(request: Xhr): Response {
  const headers = new Headers()
  for (const line of request
    .getAllResponseHeaders()
    .trim()
    .split(/[\r\n]+/)) {
    const colon = line.indexOf(':')
    if (colon > 0) headers.append(line.slice(0, colon), line.slice(colon + 1).trim())
  }
  return new Response(request.responseText, { status: request.status, headers })
}
