import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { CliError } from '../cli-error'
import type { Terminal } from '../terminal'
import { describeDelivery, type ReceivedDelivery } from './delivery-text'
import { createVerifier } from './verifier'

/** Larger than any delivery of Sheaf, unless a single row is larger. */
const MAX_BYTES = 16 * 1024 * 1024
/** Remembered delivery ids, to detect repetitions. */
const MAX_IDS = 10_000

/** Options of the listener. */
export interface ListenerOptions {
  /** 0 selects a free one. */
  readonly port: number
  /** `whsec_…`; without one, signatures are not checked. */
  readonly secret?: string
}

/** A receiver that prints its deliveries. */
export interface WebhookListener extends AsyncDisposable {
  /** `http://127.0.0.1:<port>/`. */
  readonly url: string
}

/**
 * Starts a receiver on loopback that prints each delivery and the validity of its signature, and responds
 * with 204, or 401 for an invalid signature. Throws CliError when the port is in use or the secret is
 * malformed.
 */
export async function startListener(
  { port, secret }: ListenerOptions,
  terminal: Terminal,
): Promise<WebhookListener> {
  const verify = createVerifier(secret)
  const seen = new Set<string>()
  const receive = async (request: IncomingMessage): Promise<number> => {
    const body = await readBody(request)
    if (body === undefined) return 413
    const { method = '', url = '', headers } = request
    const verification = verify(body, headers)
    const id = String(headers['webhook-id'] ?? '')
    const arrival: ReceivedDelivery = {
      method,
      url,
      headers,
      body,
      verification,
      isRepeated: seen.has(id),
    }
    if (id !== '' && seen.size < MAX_IDS) seen.add(id)
    terminal.out(describeDelivery(arrival, new Date()))
    return verification.isRight === false ? 401 : 204
  }
  const server = createServer((request, response) => {
    receive(request).then(
      (status) => response.writeHead(status).end(),
      () => response.destroy(),
    )
  })
  const address = await listen(server, port)
  return {
    url: `http://127.0.0.1:${address.port}/`,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function listen(server: Server, port: number): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const reason = error.code === 'EADDRINUSE' ? 'is in use' : 'is unavailable'
      reject(new CliError(`port ${port} ${reason}`))
    })
    server.listen(port, '127.0.0.1', () => resolve(server.address() as AddressInfo))
  })
}

/** The body as it came; undefined when it is too large. */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > MAX_BYTES) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}
