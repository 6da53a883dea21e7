import type { HttpRequest, Upload } from './http-request.ts'
import { sendByXhr } from './xhr-transport.ts'

/** The part of `fetch` that the client uses. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/**
 * Sends a request. `fetch` reports no progress of uploads: browsers have XMLHttpRequest for that, and elsewhere the form is
 * sent as a stream whose bytes are counted.
 * @param custom used instead of `fetch` of the platform
 */
export function sendHttp(request: HttpRequest, custom: Fetch | undefined): Promise<Response> {
  const { url, method, headers, body, signal } = request
  // A redirect could lead the key and the data to another host.
  const init: RequestInit = { method, headers, signal, redirect: 'error' }
  const send = custom ?? fetch
  if (body === undefined || typeof body === 'string') return send(url, { ...init, body })
  if (!body.onProgress) return send(url, { ...init, body: body.form })
  if (!custom && 'XMLHttpRequest' in globalThis) return sendByXhr(request, body)
  return send(url, { ...init, ...toCountedBody(headers, body) })
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
