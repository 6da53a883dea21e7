import { Client, credentials, Metadata } from '@grpc/grpc-js'
import {
  ChangesServiceClientImpl,
  ReadChangesRequest,
} from '@sheaf/protos/sheaf/document_data/v1/changes'
import {
  ExchangeRequest,
  ExchangeResponse,
  TransportServiceService,
} from '@sheaf/protos/sheaf/transport/v1/transport'
import fc from 'fast-check'
import {
  alice,
  change,
  createDocument,
  doc,
  documents,
  gate,
  openChannels,
  readChanges,
  startProxy,
  startServer,
  untilMultiplexing,
} from '../../tests/transport-pair'
import { AppError, toAppError } from '../errors'
import type { GrpcChannel } from '../grpc/client'
import type { ServedService } from '../grpc/server'
import { Closer } from '../lifecycle'

const opened = new Closer()
afterEach(() => opened.close())

async function startPair(...services: ServedService[]) {
  const server = opened.use(await startServer(services))
  return { server, ...(await openChannels(server.address, opened)) }
}

describe('a server that stops', () => {
  it('answers what is under way, and the client goes on with the next server', async () => {
    const begun = gate()
    const end = gate()
    const slow = createDocument(async ({ docId }) => {
      if (docId !== 'slow') return { seq: 2 }
      begun.open()
      await end.opening
      return { seq: 1 }
    })
    const { server, channel } = await startPair(slow)
    const under = documents(channel).createDocument(doc('slow'), alice)
    await begun.opening
    const stopped = server[Symbol.asyncDispose]()
    while (channel.isMultiplexing) await new Promise(setImmediate)
    end.open()
    expect((await under).seq).toBe(1)
    await stopped
    opened.use(await startServer([slow], { listen: server.address }))
    await untilMultiplexing(channel)
    expect((await documents(channel).createDocument(doc('d'), alice)).seq).toBe(2)
  })
})

/** Lets everybody go on for so many turns of the event loop. */
async function pass(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate)
}

describe('a server that hangs, whose calls are aborted', () => {
  it('breaks calls of every kind, and calls that begin later run', async () => {
    let hangs = true
    const begun = gate()
    let calls = 0
    const hang = async () => {
      if (++calls === 4) begun.open()
      if (hangs) await new Promise(() => {})
    }
    const { channel, plain } = await startPair(
      createDocument(async () => {
        await hang()
        return { seq: 1 }
      }),
      readChanges(async function* () {
        await hang()
        yield change(1)
      }),
    )
    const request = ReadChangesRequest.fromPartial({ docId: 'd' })
    const write = async (by: GrpcChannel) =>
      (await documents(by).createDocument(doc('d'), alice)).seq
    const read = async (by: GrpcChannel) => {
      for await (const { change } of new ChangesServiceClientImpl(by).readChanges(request, alice))
        return change?.seq
    }
    const send = () => [channel, plain].flatMap((by) => [write(by), read(by)])
    const broken = Promise.allSettled(send())
    await begun.opening
    for (const each of [channel, plain]) each.abort()
    for (const outcome of await broken)
      expect(['CANCELLED', 'SERVICE_UNAVAILABLE']).toContain(reasonOf(outcome))
    hangs = false
    expect(await Promise.all(send())).toEqual([1, 1, 1, 1])
  })
})

const reasonOf = (outcome: PromiseSettledResult<unknown>) =>
  outcome.status === 'rejected' ? toAppError(outcome.reason)?.reason : 'fulfilled'

describe('a connection that breaks', () => {
  it('fails the writes that were sent, and repeats what has no side effects', async () => {
    let runs = 0
    const begun = gate()
    const server = opened.use(
      await startServer([
        createDocument(async () => {
          runs++
          begun.open()
          return new Promise(() => {})
        }),
      ]),
    )
    const proxy = opened.use(await startProxy(server.address))
    const { channel } = await openChannels(proxy.address, opened)
    const write = documents(channel).createDocument(doc('d'), alice)
    await begun.opening
    const check = channel.request('grpc.health.v1.Health', 'List', new Uint8Array())
    proxy.breakAll()
    await expect(write).rejects.toMatchObject({
      code: 'unavailable',
      reason: 'SERVICE_UNAVAILABLE',
    })
    await expect(check).resolves.toBeInstanceOf(Uint8Array)
    await untilMultiplexing(channel)
    expect(runs).toBe(1)
  })

  it('loses no call, runs none twice and answers none twice, wherever it breaks', async () => {
    const runs = new Map<string, number>()
    const server = opened.use(
      await startServer([
        createDocument(async ({ docId, timezone }) => {
          runs.set(docId, (runs.get(docId) ?? 0) + 1)
          await pass(Number(timezone))
          return { seq: Number(docId) }
        }),
      ]),
    )
    const proxy = opened.use(await startProxy(server.address))
    const { channel } = await openChannels(proxy.address, opened)
    let last = 0
    const ended = { well: 0, badly: 0 }
    const step = fc.record({
      what: fc.oneof(
        { weight: 8, arbitrary: fc.constant('write') },
        { weight: 4, arbitrary: fc.constant('wait') },
        { weight: 1, arbitrary: fc.constant('break') },
      ),
      turns: fc.nat(40),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60 }), async (steps) => {
        await untilMultiplexing(channel)
        const outcomes: Promise<void>[] = []
        for (const { what, turns } of steps)
          if (what === 'wait') await pass(turns)
          else if (what === 'break') proxy.breakAll()
          else outcomes.push(write(String(++last), String(turns)))
        await Promise.all(outcomes)
      }),
      { numRuns: 60 },
    )
    expect(ended.well).toBeGreaterThan(0)
    expect(ended.badly).toBeGreaterThan(0)
    async function write(docId: string, turns: string): Promise<void> {
      try {
        const { seq } = await documents(channel).createDocument(
          { docId, timezone: turns, locale: '' },
          alice,
        )
        expect(seq).toBe(Number(docId))
        expect(runs.get(docId)).toBe(1)
        ended.well++
      } catch (error) {
        if (!toAppError(error)) throw error
        expect(error).toMatchObject({ code: 'unavailable' })
        expect(runs.get(docId) ?? 0).toBeLessThanOrEqual(1)
        ended.badly++
      }
    }
  })
})

/** A client that keeps to no rules. */
function openStream(address: string) {
  const client = new Client(address, credentials.createInsecure())
  opened.defer(() => client.close())
  const { path } = TransportServiceService.exchange
  const stream = client.makeBidiStreamRequest(
    path,
    (frames: Buffer) => frames,
    (bytes) => ExchangeResponse.decode(bytes),
    new Metadata(),
  )
  const failures: ExchangeResponse['failures'] = []
  stream.on('data', (frames: ExchangeResponse) => failures.push(...frames.failures))
  const ended = new Promise<{ code: number; details: string }>((resolve) =>
    stream.on('error', (error: Error & { code: number; details: string }) => resolve(error)),
  )
  return { stream, failures, ended }
}

const path = '/sheaf.document_data.v1.DocumentsService/CreateDocument'
const frames = (ids: number[]) =>
  Buffer.from(
    ExchangeRequest.encode(
      ExchangeRequest.fromPartial({ calls: ids.map((id) => ({ id, path, token: 'alice' })) }),
    ).finish(),
  )

describe('a client that breaks the rules', () => {
  it('has its stream ended with the reason, and disturbs nobody else', async () => {
    const { server, channel } = await startPair(createDocument(() => new Promise(() => {})))
    const faults: [Buffer, number, RegExp][] = [
      [frames([0]), 3, /call id 0/],
      [frames([7, 7]), 3, /call id 7/],
      [frames(Array.from({ length: 1_025 }, (_, index) => index + 1)), 3, /too many/],
      [Buffer.from([0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]), 13, /deserializ/],
      [Buffer.alloc(3 * 1024 * 1024), 13, /deserializ/],
    ]
    for (const [bytes, code, details] of faults) {
      const { stream, ended } = openStream(server.address)
      stream.write(bytes)
      const error = await ended
      expect(error.code).toBe(code)
      expect(error.details).toMatch(details)
    }
    expect(channel.isMultiplexing).toBe(true)
    await expect(
      channel.request('sheaf.document_data.v1.DocumentsService', 'CreateDocument', Buffer.of(255)),
    ).rejects.toMatchObject({ code: 'internal' })
  })

  it('cannot have more calls under way than the contract allows', async () => {
    let running = 0
    const { server } = await startPair(
      createDocument(() => {
        running++
        return new Promise(() => {})
      }),
    )
    const { stream, failures } = openStream(server.address)
    const ids = Array.from({ length: 1_100 }, (_, index) => index + 1)
    stream.write(frames(ids.slice(0, 1_000)))
    stream.write(frames(ids.slice(1_000)))
    while (failures.length < 76) await new Promise(setImmediate)
    expect(running).toBe(1024)
    expect(failures[0]).toMatchObject({ id: 1025, code: 8 })
    stream.cancel()
    stream.on('error', () => {})
  })

  it('and takes no answers is not asked for more questions, so that memory stays bounded', async () => {
    let running = 0
    const { server } = await startPair(
      createDocument(async () => {
        running++
        throw new AppError('invalid', 'X', 'x'.repeat(50_000))
      }),
    )
    const { stream, failures } = openStream(server.address)
    stream.pause()
    for (let call = 1; call <= 500; call++) stream.write(frames([call]))
    await pass(2_000)
    expect(running).toBeLessThan(200)
    stream.resume()
    while (failures.length < 500) await pass(1)
    expect(running).toBe(500)
    stream.on('error', () => {})
    stream.cancel()
  })
})
