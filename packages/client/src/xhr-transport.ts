import type { HttpRequest, Upload } from './http-request.ts'

/** The part of XMLHttpRequest that is used; the types of Node do not have it. */
interface Xhr {
  readonly status: number
  readonly responseText: string
  readonly upload: {
    onprogress: ((event: { readonly loaded: number; readonly total: number }) => void) | null
  }
  onprogress: (() => void) | null
  onload: (() => void) | null
  onerror: (() => void) | null
  onabort: (() => void) | null
  onloadend: (() => void) | null
  open(method: string, url: string): void
  setRequestHeader(name: string, value: string): void
  getAllResponseHeaders(): string
  send(body: FormData): void
  abort(): void
}

/** Sends a form with XMLHttpRequest, which reports its progress. Resolves and rejects as `fetch` does. */
export function sendByXhr(
  { url, method, headers, signal }: HttpRequest,
  { form, total, onProgress }: Upload,
): Promise<Response> {
  const { XMLHttpRequest } = globalThis as unknown as { XMLHttpRequest: new () => Xhr }
  const request = new XMLHttpRequest()
  const abort = () => request.abort()
  return new Promise<Response>((resolve, reject) => {
    const body = createBody(request)
    let hasBegun = false
    const begin = () => {
      body.pass()
      if (!hasBegun) resolve(toResponse(request, body.stream))
      hasBegun = true
    }
    const fail = (message: string) => () => {
      const error = new TypeError(message)
      body.fail(error)
      reject(error)
    }
    request.open(method, url)
    headers.forEach((value, name) => request.setRequestHeader(name, value))
    request.upload.onprogress = ({ loaded, total: all }) =>
      // The size of the request is more than that of the files.
      onProgress?.({ sent: all > 0 ? Math.floor((total * loaded) / all) : 0, total })
    request.onprogress = begin
    request.onload = () => {
      begin()
      body.end()
    }
    request.onerror = fail('the upload was interrupted')
    request.onabort = fail('the upload was aborted')
    request.onloadend = () => signal.removeEventListener('abort', abort)
    request.send(form)
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true })
  })
}

/** The body of a response as a stream, of what has arrived of it so far. */
function createBody(request: Xhr) {
  const encoder = new TextEncoder()
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined
  const stream = new ReadableStream<Uint8Array>({
    start: (given) => {
      controller = given
    },
    cancel: () => request.abort(),
  })
  let passed = 0
  const pass = () => {
    const text = request.responseText.slice(passed)
    passed += text.length
    if (text !== '') controller?.enqueue(encoder.encode(text))
  }
  return {
    stream,
    pass,
    end: () => controller?.close(),
    fail: (error: Error) => controller?.error(error),
  }
}

function toResponse(request: Xhr, body: ReadableStream<Uint8Array>): Response {
  const headers = new Headers()
  for (const line of request
    .getAllResponseHeaders()
    .trim()
    .split(/[\r\n]+/)) {
    const colon = line.indexOf(':')
    if (colon > 0) headers.append(line.slice(0, colon), line.slice(colon + 1).trim())
  }
  return new Response(body, { status: request.status, headers })
}
