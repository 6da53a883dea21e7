import type { HttpRequest, Upload } from './http-request.ts'
import { sendByXhr } from './xhr-transport.ts'

/** The part of `fetch` that the client uses. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/**
 * Sends a request. Rejects when the response is a redirect, which could lead the key and the data to another host.
 * @param custom used instead of `fetch` of the platform
 */
export async function sendHttp(request: HttpRequest, custom: Fetch | undefined): Promise<Response> {
  const response = await send(request, custom)
  const { status, type } = response
  // Browsers hide the status.
  if (type !== 'opaqueredirect' && ![301, 302, 303, 307, 308].includes(status)) return response
  throw new TypeError('fetch failed', { cause: new Error('unexpected redirect') })
}

/**
 * `fetch` reports no progress of uploads: browsers have XMLHttpRequest for that, and elsewhere the form is sent as a stream
 * whose bytes are counted.
 */
function send(request: HttpRequest, custom: Fetch | undefined): Promise<Response> {
  const { url, method, headers, body, signal } = request
  // With 'error', the `fetch` of Node 20 no longer ends a response when the signal is aborted, once garbage was collected.
  const init: RequestInit = { method, headers, signal, redirect: 'manual' }
  const sendBy = custom ?? fetch
  if (body === undefined || typeof body === 'string') return sendBy(url, { ...init, body })
  if (!body.onProgress) return sendBy(url, { ...init, body: body.form })
  if (!custom && 'XMLHttpRequest' in globalThis) return sendByXhr(request, body)
  return sendBy(url, { ...init, ...toCountedBody(headers, body) })
}

function toCountedBody(given: Headers, { form, total, onProgress }: Upload): RequestInit {
  const encoded = new Response(form)
  let sent = 0
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      controller.enqueue(chunk)
      sent += chunk.byteLength
      // The heads of the parts are not counted.
      onProgress?.({ sent: Math.min(sent, total), total })
    },
  })
  const headers = new Headers(given)
  headers.set('content-type', encoded.headers.get('content-type') ?? '')
  const streamed = { headers, body: encoded.body?.pipeThrough(counter), duplex: 'half' }
  return streamed as RequestInit
}
