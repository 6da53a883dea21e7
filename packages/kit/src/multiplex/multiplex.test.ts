import { Server, ServerCredentials } from '@grpc/grpc-js'
import {
  ChangesServiceClientImpl,
  ReadChangesRequest,
} from '@sheaf/protos/sheaf/document_data/v1/changes'
import { CreateDocumentRequest } from '@sheaf/protos/sheaf/document_data/v1/documents'
import {
  alice,
  change,
  createDocument,
  doc,
  documents,
  gate,
  openChannels,
  readChanges,
  startServer,
} from '../../tests/transport-pair'
import { AppError, toAppError } from '../errors'
import { openChannel, type GrpcChannel } from '../grpc/client'
import type { ServedService } from '../grpc/server'
import { Closer } from '../lifecycle'

const opened = new Closer()
afterEach(() => opened.close())

const changes = (channel: GrpcChannel) => new ChangesServiceClientImpl(channel)
const all = ReadChangesRequest.fromPartial({ docId: 'd' })

async function startPair(...services: ServedService[]) {
  const server = opened.use(await startServer(services))
  return { server, ...(await openChannels(server.address, opened)) }
}

describe('calls over one stream', () => {
  it('overtake each other, and each gets its own answer', async () => {
    const turns = Array.from({ length: 300 }, gate)
    const { channel } = await startPair(
      createDocument(async ({ docId }) => {
        await turns[Number(docId)]?.opening
        return { seq: Number(docId) }
      }),
    )
    const ended: number[] = []
    const calls = turns.map((_, index) =>
      documents(channel)
        .createDocument(doc(String(index)), alice)
        .then(({ seq }) => ended.push(seq)),
    )
    for (const [index, { open }] of [...turns.entries()].reverse()) {
      open()
      await calls[index]
    }
    expect(channel.isMultiplexing).toBe(true)
    expect(ended).toEqual([...turns.keys()].reverse())
  })

  it('fail exactly as plain ones do', async () => {
    const { channel, plain } = await startPair(
      createDocument(async ({ docId }) => {
        if (docId === 'bug') throw new TypeError('inner workings')
        throw new AppError('precondition', 'WRONG_HOME', 'not hére', { home: 'elsewhere' })
      }),
    )
    const request = CreateDocumentRequest.encode(doc('d')).finish()
    const bug = CreateDocumentRequest.encode(doc('bug')).finish()
    const service = 'sheaf.document_data.v1.DocumentsService'
    const faults = [
      [service, 'CreateDocument', request, alice],
      [service, 'CreateDocument', bug, alice],
      [service, 'CreateDocument', Buffer.from([0xff]), alice],
      [service, 'CreateDocument', request, {}],
      [service, 'CreateDocument', request, { token: 'mallory' }],
      [service, 'CreateDocument', request, { ...alice, deadline: Date.now() - 1 }],
      [service, 'CreateDocument', request, { ...alice, signal: AbortSignal.abort(new Error('x')) }],
      [service, 'DeleteDocument', request, alice],
      ['no.Service', 'Method', request, alice],
    ] as const
    const outcomeOf = (from: GrpcChannel, fault: (typeof faults)[number]) =>
      from.request(fault[0], fault[1], fault[2], fault[3]).then(
        () => 'an answer',
        (error: Error) => ({ ...error, message: error.message, isApp: !!toAppError(error) }),
      )
    for (const fault of faults)
      expect(await outcomeOf(channel, fault)).toEqual(await outcomeOf(plain, fault))
  })

  it('end at their deadline and at their cancellation, and their handlers learn of it', async () => {
    const aborted: string[] = []
    const { channel } = await startPair(
      createDocument(
        ({ docId }, { signal }) =>
          new Promise((_resolve, reject) =>
            signal.addEventListener('abort', () => {
              aborted.push(docId)
              reject(signal.reason as Error)
            }),
          ),
      ),
    )
    const late = documents(channel).createDocument(doc('late'), {
      ...alice,
      deadline: Date.now() + 2_000,
    })
    await expect(late).rejects.toMatchObject({ code: 'timeout', reason: 'DEADLINE_EXCEEDED' })
    const controller = new AbortController()
    const { signal } = controller
    const left = documents(channel).createDocument(doc('left'), { ...alice, signal })
    // Not before it is on its way.
    setImmediate(() => controller.abort())
    await expect(left).rejects.toMatchObject({ code: 'unavailable', reason: 'CANCELLED' })
    const unsent = new AbortController()
    const never = documents(channel).createDocument(doc('never'), {
      ...alice,
      signal: unsent.signal,
    })
    unsent.abort()
    await expect(never).rejects.toMatchObject({ reason: 'CANCELLED' })
    await opened.close()
    expect(aborted).toEqual(['late', 'left'])
  })

  it('go by plain gRPC to a server that does not know the stream', async () => {
    const server = new Server()
    const answer = { path: '/a.B/C', requestStream: false, responseStream: false } as const
    const bytes = (value: Buffer) => value
    const method = {
      ...answer,
      requestSerialize: bytes,
      requestDeserialize: bytes,
      responseSerialize: bytes,
      responseDeserialize: bytes,
    }
    server.addService(
      { c: method },
      { c: (_: unknown, done: (error: null, answer: Buffer) => void) => done(null, Buffer.of(7)) },
    )
    const port = await new Promise<number>((resolve, reject) =>
      server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
        error ? reject(error) : resolve(bound),
      ),
    )
    opened.defer(() => server.forceShutdown())
    const channel = opened.use(openChannel({ address: `127.0.0.1:${port}`, multiplexed: true }))
    for (let round = 0; round < 20; round++)
      expect([...(await channel.request('a.B', 'C', new Uint8Array()))]).toEqual([7])
    expect(channel.isMultiplexing).toBe(false)
  })
})

describe('streamed answers over one stream', () => {
  it('arrive in order and whole, side by side', async () => {
    const { channel } = await startPair(
      readChanges(async function* ({ limit, docId }) {
        // Every third one is longer than one reply may be.
        for (let seq = 1; seq <= limit; seq++)
          yield change(seq, seq % 3 === 0 && docId === 'long' ? 1_500_000 : 10)
      }),
    )
    const read = async (docId: string) => {
      const seen: number[] = []
      for await (const message of changes(channel).readChanges(
        { ...all, docId, limit: 12 },
        alice,
      )) {
        expect(message.change?.docId.length).toBe(
          seen.length % 3 === 2 && docId === 'long' ? 1_500_000 : 10,
        )
        seen.push(message.change?.seq ?? 0)
      }
      return seen
    }
    const whole = Array.from({ length: 12 }, (_, index) => index + 1)
    for (const seen of await Promise.all(['a', 'long', 'b', 'long'].map(read)))
      expect(seen).toEqual(whole)
    expect(channel.isMultiplexing).toBe(true)
  })

  it('are not made faster than they are read, and hold up nobody', async () => {
    let made = 0
    const over = gate()
    const { channel } = await startPair(
      createDocument(async () => ({ seq: 1 })),
      readChanges(async function* () {
        try {
          for (;;) yield change(++made, 100_000)
        } finally {
          over.open()
        }
      }),
    )
    const slow = changes(channel).readChanges(all, alice)[Symbol.asyncIterator]()
    await slow.next()
    for (let round = 0; round < 200; round++)
      await documents(channel).createDocument(doc('d'), alice)
    // A credit of 512 KiB, and the message that goes beyond it.
    expect(made).toBeLessThanOrEqual(8)
    for (let read = 0; read < 50; read++) expect((await slow.next()).done).toBe(false)
    expect(made).toBeGreaterThan(50)
    await slow.return?.()
    await over.opening
    expect(made).toBeLessThan(70)
  })

  it('of long messages take no more memory the longer they are read', async () => {
    let made = 0
    const { channel } = await startPair(
      createDocument(async () => ({ seq: 1 })),
      readChanges(async function* () {
        for (;;) yield change(++made, 900_000)
      }),
    )
    const slow = changes(channel).readChanges(all, alice)[Symbol.asyncIterator]()
    const READS = 20
    for (let read = 0; read < READS; read++) {
      expect((await slow.next()).done).toBe(false)
      // Each answer is on its way while nobody waits for it.
      for (let round = 0; round < 5; round++)
        await documents(channel).createDocument(doc('d'), alice)
    }
    for (let round = 0; round < 200; round++)
      await documents(channel).createDocument(doc('d'), alice)
    // A credit of 512 KiB, and the message that goes beyond it.
    expect(made - READS).toBeLessThanOrEqual(3)
    await slow.return?.()
  })

  it('of long messages end one after the other, and hold up no short ones', async () => {
    const { channel } = await startPair(
      readChanges(async function* ({ docId }) {
        yield change(1, docId === 'long' ? 900_000 : 10)
      }),
    )
    const CALLS = 300
    let begun = 0
    let ended = 0
    let most = 0
    const readLong = async () => {
      const answer = changes(channel).readChanges({ ...all, docId: 'long' }, alice)
      for await (const { change: part } of answer) if (part) most = Math.max(most, ++begun - ended)
      ended++
    }
    const long = Promise.all(Array.from({ length: CALLS }, readLong))
    let short = 0
    while (ended < CALLS) {
      const answer = changes(channel).readChanges({ ...all, docId: 'short' }, alice)
      for await (const { change: part } of answer) if (part) short++
    }
    await long
    expect(most).toBeLessThan(20)
    expect(short).toBeGreaterThan(CALLS / 10)
  })

  it('by plain gRPC are not made faster than they are read either', async () => {
    let made = 0
    const { plain } = await startPair(
      createDocument(async () => ({ seq: 1 })),
      readChanges(async function* () {
        for (;;) yield change(++made, 1_000_000)
      }),
    )
    const slow = changes(plain).readChanges(all, alice)[Symbol.asyncIterator]()
    await slow.next()
    for (let round = 0; round < 200; round++) await documents(plain).createDocument(doc('d'), alice)
    // grpc-js holds 16 for the reader; one was read, and few are on their way.
    expect(made).toBeLessThanOrEqual(20)
    await slow.return?.()
  })

  it('that fail half-way give what came before, and then the error', async () => {
    const { channel } = await startPair(
      readChanges(async function* () {
        yield change(1)
        throw new AppError('unavailable', 'SNAPSHOT_TOO_OLD', 'read too slowly')
      }),
    )
    const stream = changes(channel).readChanges(all, alice)[Symbol.asyncIterator]()
    expect((await stream.next()).value).toMatchObject({ change: { seq: 1 } })
    await expect(stream.next()).rejects.toMatchObject({ reason: 'SNAPSHOT_TOO_OLD' })
    expect((await stream.next()).done).toBe(true)
  })
})

describe('large messages', () => {
  it('of 48 MiB go both ways while small calls go on', async () => {
    const size = 48 * 1024 * 1024
    const { channel } = await startPair(
      createDocument(async ({ timezone }) => ({ seq: timezone.length })),
      readChanges(async function* () {
        yield change(1, size)
      }),
    )
    const large = documents(channel).createDocument(
      { ...doc('d'), timezone: 'x'.repeat(size) },
      alice,
    )
    let isOver = false
    const page = changes(channel).readChanges(all, alice)[Symbol.asyncIterator]()
    const read = page.next().then(({ value }) => {
      isOver = true
      return value as ReturnType<typeof change>
    })
    let small = 0
    while (!isOver) {
      await documents(channel).createDocument(doc('d'), alice)
      if (!isOver) small++
    }
    expect((await read).change?.docId.length).toBe(size)
    expect((await large).seq).toBe(size)
    expect(small).toBeGreaterThan(10)
    expect(channel.isMultiplexing).toBe(true)
  })
})
