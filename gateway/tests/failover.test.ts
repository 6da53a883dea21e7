import type { ServerCall } from '@sheaf/auth/server-call'
import { AppError, type ErrorCode } from '@sheaf/kit/errors'
import type { UploadAttachmentRequest } from '@sheaf/protos/sheaf/document_data/v1/attachments'
import { UploadAttachmentResponse } from '@sheaf/protos/sheaf/document_data/v1/attachments'
import {
  AddRecordsResponse,
  type AddRecordsRequest,
  type ReadRecordsResponse,
} from '@sheaf/protos/sheaf/document_data/v1/records'
import {
  ImportTablesResponse,
  type ImportTablesRequest,
} from '@sheaf/protos/sheaf/document_data/v1/import'
import { eventually } from '@sheaf/testkit/eventually'
import { createRest } from '@sheaf/testkit/rest'
import { defaultLimits } from '../src/config'
import { DOC, startStubbedGateway, type StubbedGateway } from './support/stub-services'

const path = `/api/docs/${DOC}/tables/T/records`
/** Long enough for the repetitions, also on a busy machine. */
const FAILOVER_MS = 30_000
const ALICE = 1
const MIB = 1024 * 1024

/** What the home does with each call, in order; the last one also with all that follow. */
let answers: (AppError | 'ok' | 'hang')[]
let calls: number
/** Users of the writes, one for each call. */
const writers: number[] = []
const sentFiles: string[] = []

async function answer(): Promise<void> {
  const next = answers.length > 1 ? answers.shift() : answers[0]
  calls++
  if (next === 'hang') await new Promise(() => {})
  else await Promise.resolve()
  if (next instanceof AppError) throw next
}

const refusal = (reason: string, code: ErrorCode = 'unavailable') =>
  new AppError(code, reason, 'not here')

/** Replies in two chunks; the second one may fail. */
async function* readRecords(): AsyncGenerator<ReadRecordsResponse> {
  yield { chunk: Buffer.from('{"records":['), seq: 1 }
  await answer()
  yield { chunk: Buffer.from(']}'), seq: 1 }
}

async function uploadAttachment(parts: AsyncIterable<UploadAttachmentRequest>) {
  let text = ''
  for await (const { part } of parts) if (part?.$case === 'chunk') text += part.value.toString()
  sentFiles.push(text)
  await answer()
  return UploadAttachmentResponse.fromPartial({ attachments: [{ id: 7 }] })
}

async function* importTables(parts: AsyncIterable<ImportTablesRequest>) {
  await answer()
  for await (const part of parts) void part
  yield ImportTablesResponse.fromPartial({ part: { $case: 'done', value: { seq: 1 } } })
}

const start = (failoverMs: number) =>
  startStubbedGateway({
    records: {
      readRecords,
      addRecords: async (_request: AddRecordsRequest, call?: unknown) => {
        writers.push((call as ServerCall).caller.userId)
        await answer()
        return AddRecordsResponse.fromPartial({ rowIds: [1] })
      },
    },
    attachments: { uploadAttachment },
    imports: { importTables },
    config: {
      timeouts: { failoverMs },
      // A quarter of this may wait.
      limits: { ...defaultLimits, bodyBytes: 16 * MIB },
      maxBodyBytes: 8 * MIB,
    },
  })

let system: StubbedGateway
beforeAll(async () => {
  system = await start(FAILOVER_MS)
})
beforeEach(() => {
  answers = ['ok']
  calls = 0
  writers.splice(0)
  sentFiles.splice(0)
})
afterAll(() => system[Symbol.asyncDispose]())

const rest = (key = 'bob-key') => createRest(system.url, key)
const body = { records: [{ fields: { A: 1 } }] }
const write = (headers: Record<string, string> = {}) => rest().post(path, { body, headers })
const withKey = { 'idempotency-key': 'k1' }

function upload(bytes: number, headers: Record<string, string> = {}) {
  const form = new FormData()
  form.append('upload', new Blob(['x'.repeat(bytes)]), 'a.txt')
  return rest().post(`/api/docs/${DOC}/attachments`, { body: form, headers })
}

describe('a call about a document whose home has changed', () => {
  it.each(['WRONG_HOME', 'DOCUMENT_MOVED', 'HOME_LEASE_ENDED', 'BAD_CALLER_TOKEN'])(
    'is repeated after %s, when directory was asked again, since it had no effect',
    async (reason) => {
      for (const send of [() => rest().get(path), () => write()]) {
        answers = [refusal(reason, 'precondition'), refusal(reason), 'ok']
        calls = 0
        const asked = system.access.questions.length
        expect((await send()).status).toBe(200)
        expect(calls).toBe(3)
        expect(system.access.questions.length).toBeGreaterThanOrEqual(asked + 2)
      }
    },
  )

  it('is answered 503 with Retry-After when no instance accepts it in the time of a failover', async () => {
    await using hasty = await start(2_000)
    answers = [refusal('WRONG_HOME', 'precondition')]
    const reply = await createRest(hasty.url, 'bob-key').post(path, { body })
    expect(reply).toMatchObject({
      status: 503,
      body: { details: { reason: 'HOME_UNAVAILABLE' } },
    })
    expect(reply.headers.get('retry-after')).toBe('2')
    expect(calls).toBeGreaterThan(2)
  })

  it('waits for a home when directory knows none', async () => {
    const { access } = system
    const { homeAddress } = access
    access.homeAddress = ''
    access.change()
    // Until then the gateway goes by what it knows.
    await eventually(() => access.dropped.includes(access.accessVersion))
    const asked = access.questions.length
    const waiting = write()
    await eventually(() => access.questions.length > asked + 1)
    access.homeAddress = homeAddress
    expect((await waiting).status).toBe(200)
  })
})

describe('a call whose effect is unknown', () => {
  const unknown = ['LOG_UNAVAILABLE', 'SERVICE_UNAVAILABLE', 'CANCELLED', 'DOCUMENT_CLOSED']

  it.each(unknown)('is repeated after %s only as a read, or with a key', async (reason) => {
    for (const send of [() => rest().get(path), () => write(withKey)]) {
      answers = [refusal(reason), refusal(reason), 'ok']
      expect((await send()).status).toBe(200)
    }
    expect(calls).toBe(6)
    answers = [refusal(reason), 'ok']
    const once = await write()
    expect([once.status, once.headers.get('retry-after'), calls]).toEqual([503, '2', 7])
  })

  it('is not repeated for a client that has left', async () => {
    answers = [refusal('LOG_UNAVAILABLE')]
    const leaving = new AbortController()
    const { signal } = leaving
    const left = rest().post(path, { body, headers: withKey, signal })
    await eventually(() => calls >= 2)
    leaving.abort()
    await expect(left).rejects.toThrow()
    const waits = calls
    // Another caller's requests are served meanwhile.
    answers = ['ok']
    for (let count = 0; count < 5; count++) expect((await write()).status).toBe(200)
    expect(calls).toBeLessThanOrEqual(waits + 6)
  })

  it('is not held beyond the budget of bytes that may wait', async () => {
    await using patient = await start(60_000)
    answers = [refusal('SERVICE_UNAVAILABLE')]
    const large = { records: [{ fields: { A: 'x'.repeat(3 * MIB) } }] }
    const send = (key: string) =>
      createRest(patient.url, key).post(path, { body: large, headers: withKey })
    const held = send('bob-key')
    await eventually(() => calls >= 2)
    expect((await send('alice-key')).status).toBe(503)
    expect(writers.filter((userId) => userId === ALICE)).toHaveLength(1)
    answers = ['ok']
    expect((await held).status).toBe(200)
    answers = [refusal('SERVICE_UNAVAILABLE'), 'ok']
    expect((await send('alice-key')).status).toBe(200)
  })
})

describe('a call to an instance that hangs', () => {
  it('is aborted when the lease of the instance has ended, and repeated where that is safe', async () => {
    const { access } = system
    const outcomeOf = async (send: () => ReturnType<typeof write>) => {
      answers = ['hang', 'ok']
      calls = 0
      const sent = send()
      await eventually(() => calls === 1)
      access.endHome(access.homeAddress)
      return (await sent).status
    }
    expect(await outcomeOf(() => rest().get(path))).toBe(200)
    expect(await outcomeOf(() => write(withKey))).toBe(200)
    expect(await outcomeOf(() => upload(10, withKey))).toBe(200)
    expect(await outcomeOf(() => write())).toBe(503)
    answers = ['ok']
    expect((await write()).status).toBe(200)
  })
})

describe('an upload whose home has changed', () => {
  it('is sent again whole when it is small', async () => {
    answers = [refusal('DOCUMENT_MOVED'), 'ok']
    expect((await upload(100_000)).status).toBe(200)
    expect(sentFiles.map(({ length }) => length)).toEqual([100_000, 100_000])
  })

  it('is sent again after a broken connection only with a key', async () => {
    answers = [refusal('SERVICE_UNAVAILABLE'), 'ok']
    expect((await upload(10)).status).toBe(503)
    answers = [refusal('SERVICE_UNAVAILABLE'), 'ok']
    expect((await upload(10, withKey)).status).toBe(200)
  })

  it('is answered 503 when it is too large to be kept', async () => {
    answers = [refusal('DOCUMENT_MOVED'), 'ok']
    expect(await upload(2 * MIB, withKey)).toMatchObject({
      status: 503,
      body: { details: { reason: 'HOME_UNAVAILABLE' } },
    })
    expect(sentFiles).toHaveLength(1)
  })
})

describe('an import with a key', () => {
  const send = (form: FormData) =>
    rest().post(`/api/docs/${DOC}/import`, { body: form, headers: withKey })

  it('is sent again when its effect is unknown', async () => {
    answers = [refusal('SERVICE_UNAVAILABLE'), 'ok']
    const form = new FormData()
    form.append('upload', new Blob(['A\n1\n']), 'a.csv')
    expect((await send(form)).status).toBe(200)
    expect(calls).toBe(2)
  })

  it('is sent once when its form turns out to be malformed after the file', async () => {
    const form = new FormData()
    form.append('upload', new Blob(['A\n1\n']), 'a.csv')
    form.append('target', '{"table":"T"}')
    expect(await send(form)).toMatchObject({
      status: 400,
      body: { error: 'target must come before the file', details: { field: 'target' } },
    })
    expect(calls).toBe(1)
  })
})
