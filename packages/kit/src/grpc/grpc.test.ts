import { once } from 'node:events'
import { Client, credentials, Metadata } from '@grpc/grpc-js'
import {
  AccessServiceClientImpl,
  AccessServiceService,
  type HoldLeaseRequest,
} from '@sheaf/protos/sheaf/directory/v1/access'
import {
  AttachmentsServiceClientImpl,
  AttachmentsServiceService,
  UploadAttachmentResponse,
  type UploadAttachmentRequest,
} from '@sheaf/protos/sheaf/document_data/v1/attachments'
import {
  ChangesServiceClientImpl,
  ReadChangesRequest,
  ChangesServiceService,
  ReadChangesResponse,
} from '@sheaf/protos/sheaf/document_data/v1/changes'
import {
  DocumentsServiceClientImpl,
  DocumentsServiceService,
  type CreateDocumentRequest,
} from '@sheaf/protos/sheaf/document_data/v1/documents'
import { eventually } from '@sheaf/testkit/eventually'
import { requireDocumentRole } from '@sheaf/auth/require-access'
import type { ServerCall } from '@sheaf/auth/server-call'
import {
  createTokenSigner,
  createTokenVerifier,
  generateSigningKey,
  type CallerClaims,
} from '@sheaf/auth/caller-token'
import { AppError } from '../errors'
import { Closer } from '../lifecycle'
import { createLogger } from '../logger'
import { openChannel } from './client'
import { serve, startGrpcServer, type ServedService } from './server'

const log = createLogger('test')
log.level = 'silent'

const opened = new Closer()
afterEach(() => opened.close())

/** A server with these services, a channel to it, and a way to make tokens for it. */
async function startPair(services: ServedService[]) {
  const key = await generateSigningKey()
  const signer = await createTokenSigner(key)
  const verifier = createTokenVerifier(async () => ({ keys: [key.publicJwk] }))
  const server = opened.use(
    await startGrpcServer({ listen: '127.0.0.1:0', services, verifier, log }),
  )
  const channel = opened.use(openChannel({ address: server.address, multiplexed: true }))
  const tokenFor = async (claims: Partial<CallerClaims>) => {
    const nobody = { userId: 0, email: '', name: '', anonymous: false, system: false }
    return (await signer.sign({ ...nobody, ...claims }, 30_000)).token
  }
  return { server, channel, tokenFor }
}

const documents = (
  createDocument: (request: CreateDocumentRequest, call: ServerCall) => Promise<unknown>,
) => serve(DocumentsServiceService, { createDocument })
const changes = (readChanges: (request: ReadChangesRequest, call: ServerCall) => unknown) =>
  serve(ChangesServiceService, { readChanges })
const request = { docId: 'd', timezone: '', locale: '' }
const change = (seq: number, docId = 'd') =>
  ReadChangesResponse.fromPartial({ change: { seq, docId } })

describe('a gRPC call', () => {
  it('reaches its handler with its caller', async () => {
    const { channel, tokenFor } = await startPair([
      documents(async (got, call) => ({ seq: call.caller.userId + got.docId.length })),
    ])
    const token = await tokenFor({ userId: 41 })
    await expect(
      new DocumentsServiceClientImpl(channel).createDocument(request, { token }),
    ).resolves.toEqual({ seq: 42 })
  })

  it('is refused without a caller token, and with a made-up one', async () => {
    const { channel } = await startPair([documents(async () => ({ seq: 1 }))])
    const client = new DocumentsServiceClientImpl(channel)
    for (const call of [{}, { token: 'x.y.z' }])
      await expect(client.createDocument(request, call)).rejects.toMatchObject({
        code: 'unauthenticated',
      })
  })

  it('is refused with a token for another document or a lower role', async () => {
    const { channel, tokenFor } = await startPair([
      documents(async (got, call) => {
        requireDocumentRole(call, got.docId, 'editors')
        return { seq: 1 }
      }),
    ])
    const client = new DocumentsServiceClientImpl(channel)
    for (const claims of [
      { docId: 'other', role: 'owners' },
      { docId: 'd', role: 'viewers' },
    ] as const)
      await expect(
        client.createDocument(request, { token: await tokenFor(claims) }),
      ).rejects.toMatchObject({
        code: 'forbidden',
        message: 'No write access',
      })
  })

  it('carries an AppError to the caller, and hides a bug', async () => {
    const { channel, tokenFor } = await startPair([
      documents(async ({ docId }) => {
        if (docId === 'bug') throw new TypeError('inner workings')
        throw new AppError('invalid', 'BAD_THING', 'the thing is bad', { field: 'thing' })
      }),
    ])
    const client = new DocumentsServiceClientImpl(channel)
    const token = await tokenFor({})
    await expect(client.createDocument(request, { token })).rejects.toMatchObject({
      code: 'invalid',
      reason: 'BAD_THING',
      metadata: { field: 'thing' },
    })
    await expect(
      client.createDocument({ ...request, docId: 'bug' }, { token }),
    ).rejects.toMatchObject({
      code: 'internal',
      message: 'internal error',
    })
  })

  it('ends at its deadline, and the handler learns of it', async () => {
    let aborted = false
    const { channel, tokenFor } = await startPair([
      documents(
        (_, call) =>
          new Promise((_resolve, reject) =>
            call.signal.addEventListener('abort', () => {
              aborted = true
              reject(call.signal.reason as Error)
            }),
          ),
      ),
    ])
    const call = { token: await tokenFor({}), deadline: Date.now() + 3_000 }
    await expect(
      new DocumentsServiceClientImpl(channel).createDocument(request, call),
    ).rejects.toMatchObject({
      code: 'timeout',
    })
    await opened.close()
    expect(aborted).toBe(true)
  })

  it('fails as unavailable when nobody listens', async () => {
    const channel = opened.use(openChannel({ address: '127.0.0.1:1' }))
    await expect(
      new DocumentsServiceClientImpl(channel).createDocument(request),
    ).rejects.toMatchObject({
      code: 'unavailable',
    })
  })

  it('that has no side effects is tried again while the process is away', async () => {
    const { server } = await startPair([])
    await server[Symbol.asyncDispose]()
    const channel = opened.use(openChannel({ address: server.address, multiplexed: true }))
    const reading = channel.request('grpc.health.v1.Health', 'List', new Uint8Array())
    const key = await generateSigningKey()
    const verifier = createTokenVerifier(async () => ({ keys: [key.publicJwk] }))
    opened.use(await startGrpcServer({ listen: server.address, services: [], verifier, log }))
    await expect(reading).resolves.toBeInstanceOf(Uint8Array)
  })
})

describe('a stream', () => {
  it('arrives in order and whole', async () => {
    const { channel, tokenFor } = await startPair([
      changes(async function* ({ limit }) {
        for (let seq = 1; seq <= limit; seq++) yield change(seq)
      }),
    ])
    const call = { token: await tokenFor({}) }
    const seen: number[] = []
    const stream = new ChangesServiceClientImpl(channel).readChanges(
      ReadChangesRequest.fromPartial({ docId: 'd', afterSeq: 0, limit: 500 }),
      call,
    )
    for await (const message of stream) seen.push(message.change?.seq ?? 0)
    expect(seen).toEqual(Array.from({ length: 500 }, (_, index) => index + 1))
  })

  it('is not produced faster than it is read, and stops when the reader leaves', async () => {
    let produced = 0
    let ended: () => void = () => {}
    const over = new Promise<void>((resolve) => (ended = resolve))
    const { channel, tokenFor } = await startPair([
      changes(async function* () {
        try {
          for (;;) {
            produced++
            yield change(produced, 'x'.repeat(100_000))
          }
        } finally {
          ended()
        }
      }),
    ])
    const call = { token: await tokenFor({}) }
    const stream = new ChangesServiceClientImpl(channel).readChanges(
      ReadChangesRequest.fromPartial({ docId: 'd', afterSeq: 0, limit: 0 }),
      call,
    )
    let read = 0
    for await (const message of stream) if (++read === 3 || !message) break
    await over
    expect(produced).toBeLessThan(400)
  })

  it('that fails half-way fails its reader', async () => {
    const { channel, tokenFor } = await startPair([
      changes(async function* () {
        yield change(1)
        throw new AppError('unavailable', 'SNAPSHOT_TOO_OLD', 'read too slowly')
      }),
    ])
    const call = { token: await tokenFor({}) }
    const read = async () => {
      const client = new ChangesServiceClientImpl(channel)
      for await (const message of client.readChanges(
        ReadChangesRequest.fromPartial({ docId: 'd', afterSeq: 0, limit: 0 }),
        call,
      ))
        if (!message) break
    }
    await expect(read()).rejects.toMatchObject({ reason: 'SNAPSHOT_TOO_OLD' })
  })
})

describe('an upload', () => {
  const document = (chunk: Buffer) => ({ part: { $case: 'chunk' as const, value: chunk } })

  /** A server that takes uploads with this handler, and a way to send one. */
  async function startUploads(take: (requests: AsyncIterable<unknown>) => Promise<void>) {
    const { channel, tokenFor } = await startPair([
      serve(AttachmentsServiceService, {
        async uploadAttachment(requests: AsyncIterable<unknown>) {
          await take(requests)
          return UploadAttachmentResponse.fromPartial({})
        },
      }),
    ])
    const call = { token: await tokenFor({}) }
    const client = new AttachmentsServiceClientImpl(channel)
    return (parts: AsyncIterable<UploadAttachmentRequest>, signal?: AbortSignal) =>
      client.uploadAttachment(parts, { ...call, signal })
  }

  it('that is refused half-way asks for no more of its bytes', async () => {
    const send = await startUploads(async (requests) => {
      for await (const request of requests)
        if (request) throw new AppError('invalid', 'ENOUGH', 'that is enough')
    })
    let isLeft = false
    async function* parts() {
      try {
        for (;;) {
          yield { ...document(Buffer.alloc(256 * 1024)), options: undefined }
          await new Promise(setImmediate)
        }
      } finally {
        isLeft = true
      }
    }
    await expect(send(parts())).rejects.toMatchObject({ reason: 'ENOUGH' })
    await eventually(() => isLeft)
  })

  it('whose caller has left before it starts is not sent', async () => {
    let taken = 0
    const send = await startUploads(async (requests) => {
      for await (const request of requests) if (request) taken++
    })
    async function* parts() {
      yield { ...document(Buffer.alloc(10)), options: undefined }
    }
    await expect(send(parts(), AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone')
    await opened.close()
    expect(taken).toBe(0)
  })
})

describe('health', () => {
  it('is SERVING until the server stops, and per part as it is set', async () => {
    const { server, channel } = await startPair([])
    expect(await channel.checkHealth()).toBe(true)
    expect(await channel.checkHealth('postgres')).toBe(false)
    server.setHealth('postgres', true)
    expect(await channel.checkHealth('postgres')).toBe(true)
    server.setHealth('', false)
    expect(await channel.checkHealth()).toBe(false)
  })
})

describe('a stream in both directions', () => {
  it('whose handler throws while it reads tells its caller why, instead of leaving it hanging', async () => {
    const { channel, tokenFor } = await startPair([
      serve(AccessServiceService, {
        async *holdLease(requests: AsyncIterable<HoldLeaseRequest>) {
          for await (const { droppedVersion } of requests) {
            if (droppedVersion > 1)
              throw new AppError('invalid', 'TOO_HIGH', 'dropped_version is too high')
            yield { accessVersion: droppedVersion, leaseMs: 1, endedHomeAddresses: [] }
          }
        },
      }),
    ])
    async function* requests() {
      for (let droppedVersion = 1; ; droppedVersion++) {
        yield { holderId: 'h', droppedVersion }
        await new Promise(setImmediate)
      }
    }
    const call = { token: await tokenFor({}) }
    const seen: number[] = []
    const read = async () => {
      for await (const { accessVersion } of new AccessServiceClientImpl(channel).holdLease(
        requests(),
        call,
      ))
        seen.push(accessVersion)
    }
    await expect(read()).rejects.toMatchObject({ reason: 'TOO_HIGH' })
    expect(seen).toEqual([1])
  })
})

describe('reflection', () => {
  it.each(['v1', 'v1alpha'])(
    'names the services of the process, for tools, in %s',
    async (version) => {
      const { server } = await startPair([documents(async () => ({ seq: 1 }))])
      const client = new Client(server.address, credentials.createInsecure())
      const stream = client.makeBidiStreamRequest(
        `/grpc.reflection.${version}.ServerReflection/ServerReflectionInfo`,
        // ServerReflectionRequest with field 7, list_services.
        (text: string) => Buffer.concat([Buffer.from([0x3a, text.length]), Buffer.from(text)]),
        (bytes) => bytes.toString('latin1'),
        new Metadata(),
      )
      stream.write('*')
      const [answer] = (await once(stream, 'data')) as [string]
      stream.end()
      client.close()
      expect(answer).toContain('sheaf.document_data.v1.DocumentsService')
      expect(answer).toContain('grpc.health.v1.Health')
      expect(answer).not.toContain('sheaf.directory')
    },
  )
})
