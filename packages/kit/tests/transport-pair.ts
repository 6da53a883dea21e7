import { createServer, connect, type AddressInfo, type Socket } from 'node:net'
import {
  DocumentsServiceClientImpl,
  DocumentsServiceService,
  type CreateDocumentRequest,
} from '@sheaf/protos/sheaf/document_data/v1/documents'
import {
  ChangesServiceService,
  ReadChangesResponse,
  type ReadChangesRequest,
} from '@sheaf/protos/sheaf/document_data/v1/changes'
import type { Authenticator, ServerCall } from '../src/rpc/server-call'
import { AppError } from '../src/errors'
import { openChannel, type GrpcChannel } from '../src/grpc/client'
import {
  serve,
  startGrpcServer,
  type GrpcServerOptions,
  type RunningGrpcServer,
  type ServedService,
} from '../src/grpc/server'
import type { Closer } from '../src/lifecycle'
import { createLogger } from '../src/logger'

const log = createLogger('test')
log.level = 'silent'

/** Takes the token `alice` and no other. */
const verifier: Authenticator = {
  anonymous: undefined,
  verify(token) {
    if (token !== 'alice') throw new AppError('unauthenticated', 'BAD_CALLER_TOKEN', 'who is it?')
    const who = { userId: 1, email: 'alice@example.com', name: 'Alice' }
    return { ...who, anonymous: false, system: false, expiresAt: Infinity }
  },
}

/** The call context that the servers here accept. */
export const alice = { token: 'alice' }

/** A write; `docId` tells its handler what to do. */
export const createDocument = (
  handle: (request: CreateDocumentRequest, call: ServerCall) => Promise<unknown>,
): ServedService => serve(DocumentsServiceService, { createDocument: handle })

/** A streamed read. */
export const readChanges = (
  handle: (request: ReadChangesRequest, call: ServerCall) => AsyncIterable<ReadChangesResponse>,
): ServedService => serve(ChangesServiceService, { readChanges: handle })

/** A message of a streamed read, `bytes` long or so. */
export const change = (seq: number, bytes = 0): ReadChangesResponse =>
  ReadChangesResponse.fromPartial({ change: { seq, docId: 'x'.repeat(bytes) } })

/** Starts a server for these services. */
export const startServer = (
  services: ServedService[],
  { listen = '127.0.0.1:0', ...options }: Partial<GrpcServerOptions> = {},
): Promise<RunningGrpcServer> =>
  startGrpcServer({
    listen,
    services,
    verifier,
    log,
    maxMessageBytes: 64 * 1024 * 1024,
    ...options,
  })

/** Opens a channel whose calls go over the stream, and one whose calls do not. */
export async function openChannels(
  address: string,
  closer: Closer,
): Promise<{ channel: GrpcChannel; plain: GrpcChannel }> {
  const maxMessageBytes = 64 * 1024 * 1024
  const plain = closer.use(openChannel({ address, maxMessageBytes }))
  const channel = closer.use(openChannel({ address, maxMessageBytes, multiplexed: true }))
  await untilMultiplexing(channel)
  return { channel, plain }
}

/** Makes calls until they go over the stream. */
export async function untilMultiplexing(channel: GrpcChannel): Promise<void> {
  const end = Date.now() + 10_000
  while (!channel.isMultiplexing) {
    if (Date.now() > end) throw new Error('the stream does not open')
    await channel.request('none', 'None', new Uint8Array()).catch(() => {})
  }
}

/** A TCP proxy that can break every connection that goes through it. */
export async function startProxy(
  target: string,
): Promise<AsyncDisposable & { readonly address: string; breakAll(): void }> {
  const sockets = new Set<Socket>()
  const [host, port] = target.split(':')
  const server = createServer((near) => {
    const far = connect(Number(port), host)
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        near.destroy()
        far.destroy()
      })
    }
    near.pipe(far).pipe(near)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const breakAll = () => sockets.forEach((socket) => socket.destroy())
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    breakAll,
    async [Symbol.asyncDispose]() {
      server.close()
      breakAll()
    },
  }
}

/** Something that a test lets happen when it is time. */
export function gate(): { open: () => void; readonly opening: Promise<void> } {
  let open: () => void = () => {}
  const opening = new Promise<void>((resolve) => (open = resolve))
  return { open, opening }
}

/** A client of the write. */
export const documents = (channel: GrpcChannel): DocumentsServiceClientImpl =>
  new DocumentsServiceClientImpl(channel)

/** A request of the write. */
export const doc = (docId: string): CreateDocumentRequest => ({ docId, timezone: '', locale: '' })
