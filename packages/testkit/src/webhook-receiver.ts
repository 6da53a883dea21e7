import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** One request that came. */
export interface ReceivedDelivery {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  /** As it came: what signatures are of. */
  readonly body: string
  /** `performance.now()` when it was there. */
  readonly at: number
}

/** What the receiver answers: 200 unless it says otherwise. */
export interface ReceiverAnswer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** Decides on an answer; one that never resolves leaves the sender waiting. */
export type Answer = (delivery: ReceivedDelivery) => ReceiverAnswer | Promise<ReceiverAnswer>

/** Stands in for those who listen to webhooks. */
export interface WebhookReceiver extends AsyncDisposable {
  /** `http://127.0.0.1:<port>`; every path below it takes deliveries. */
  readonly url: string
  readonly port: number
  /** What has come, in the order of arrival. */
  readonly deliveries: readonly ReceivedDelivery[]
  /** Rows of all bodies that came to a path, in the order of arrival; of all paths unless one is given. */
  rows(path?: string): Record<string, unknown>[]
  /** Answers in another way from now on. */
  answer: Answer
}

/** Starts a receiver on a free port of loopback, which Sheaf must be allowed to post to. */
export async function startReceiver(
  options: { readonly answer?: Answer; readonly port?: number } = {},
): Promise<WebhookReceiver> {
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
    server.listen(options.port ?? 0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  const receiver: WebhookReceiver = {
    url: `http://127.0.0.1:${port}`,
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
