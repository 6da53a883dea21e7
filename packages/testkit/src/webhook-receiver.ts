import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** A received request. */
export interface ReceivedDelivery {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  /** The raw body, which signatures cover. */
  readonly body: string
  /** `performance.now()` on receipt. */
  readonly at: number
}

/** The response of the receiver: 200 by default. */
export interface ReceiverAnswer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** Chooses the response; one that never resolves keeps the sender waiting. */
export type Answer = (delivery: ReceivedDelivery) => ReceiverAnswer | Promise<ReceiverAnswer>

/** A fake receiver of webhooks. */
export interface WebhookReceiver extends AsyncDisposable {
  /** `http://<host>:<port>`; every path below it accepts deliveries. */
  readonly url: string
  readonly port: number
  /** All deliveries, in order of arrival. */
  readonly deliveries: readonly ReceivedDelivery[]
  /** Returns the rows of all bodies received on a path, in order of arrival; on all paths by default. */
  rows(path?: string): Record<string, unknown>[]
  /** Replaces how it responds. */
  answer: Answer
}

/** Starts a receiver on a free loopback port, to which Sheaf must be allowed to post. */
export async function startReceiver(
  options: { readonly answer?: Answer; readonly port?: number; readonly host?: string } = {},
): Promise<WebhookReceiver> {
  const { host = '127.0.0.1' } = options
  const deliveries: ReceivedDelivery[] = []
  const take = async (request: IncomingMessage): Promise<ReceiverAnswer> => {
    const { url: path = '', headers } = request
    const body = await text(request)
    const delivery = { path, headers, body, at: performance.now() }
    deliveries.push(delivery)
    return receiver.answer(delivery)
  }
  const server = createServer((request, response) => {
    take(request).then(
      ({ status = 200, headers = {}, body = '' }) => response.writeHead(status, headers).end(body),
      () => response.destroy(),
    )
  })
  await new Promise<void>((resolve, reject) => {
    server.on('error', reject)
    server.listen(options.port ?? 0, host, resolve)
  })
  const { port } = server.address() as AddressInfo
  const receiver: WebhookReceiver = {
    url: `http://${host}:${port}`,
    port,
    deliveries,
    answer: options.answer ?? (() => ({})),
    rows: (path) =>
      deliveries
        .filter((delivery) => path === undefined || delivery.path === path)
        .flatMap(({ body }) => JSON.parse(body) as Record<string, unknown>[]),
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return receiver
}
