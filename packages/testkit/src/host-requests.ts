import { once } from 'node:events'
import { createServer, request, type IncomingMessage } from 'node:http'

/** A user with a key of their own. */
export interface SheafUser {
  readonly id: number
  readonly email: string
  readonly name: string
  readonly key: string
}

/** A Sheaf that several suites use, one after another. */
export interface HostedSheaf {
  readonly url: string
  readonly dataDir: string
}

/** What the host of the tests does for the workers of jest, outside their module registries. */
export interface HostRequests {
  /** The Sheaf that all suites of a worker use, with these settings; started by the first of them. */
  sheaf(request: { worker: string; env: Readonly<Record<string, string>> }): Promise<HostedSheaf>
  /** Makes a user of the Sheaf with this data folder unless they exist, and in any case a new key. */
  user(request: { dataDir: string; email: string; name: string }): Promise<SheafUser>
  /** Reads the OpenAPI document of a running Sheaf, unless one was read before. */
  describe(request: { url: string }): Promise<null>
  /**
   * Returns the responses that the OpenAPI document does not describe, of those given and those of the Sheaf
   * that the suites of this worker use, since the last call. They have the form `GET /api/orgs 200`.
   */
  findUndescribed(request: { worker: string; seen: readonly string[] }): Promise<string[]>
}

/** Answers requests at a Unix socket, which it names, until it is disposed of. */
export async function serveHost(
  socket: string,
  host: HostRequests,
): Promise<AsyncDisposable & { readonly socket: string }> {
  const server = createServer((incoming, outgoing) => {
    answer(host, incoming).then(
      (result) => outgoing.end(JSON.stringify(result)),
      (error: unknown) => {
        outgoing.statusCode = 500
        outgoing.end(error instanceof Error ? error.message : String(error))
      },
    )
  })
  server.listen(socket)
  await once(server, 'listening')
  return {
    socket,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

async function answer(host: HostRequests, incoming: IncomingMessage): Promise<unknown> {
  const body: unknown = JSON.parse(await readText(incoming))
  switch (incoming.url) {
    case '/sheaf':
      return host.sheaf(body as Parameters<HostRequests['sheaf']>[0])
    case '/user':
      return host.user(body as Parameters<HostRequests['user']>[0])
    case '/describe':
      return host.describe(body as Parameters<HostRequests['describe']>[0])
    case '/undescribed':
      return host.findUndescribed(body as Parameters<HostRequests['findUndescribed']>[0])
    default:
      throw new Error(`the host of the tests has no ${incoming.url}`)
  }
}

/** The host at a Unix socket. Its methods throw what it could not do. */
export function connectHost(socket: string): HostRequests {
  return {
    sheaf: (body) => post(socket, '/sheaf', body),
    user: (body) => post(socket, '/user', body),
    describe: (body) => post(socket, '/describe', body),
    findUndescribed: (body) => post(socket, '/undescribed', body),
  }
}

async function post<T>(socketPath: string, path: string, body: object): Promise<T> {
  const sent = request({ socketPath, path, method: 'POST', agent: false })
  sent.end(JSON.stringify(body))
  const [incoming] = (await once(sent, 'response')) as [IncomingMessage]
  const text = await readText(incoming)
  if (incoming.statusCode !== 200) throw new Error(text)
  return JSON.parse(text) as T
}

async function readText(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}
