import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import type { ServerCall } from '@sheaf/auth/server-call'
import { AppError } from '@sheaf/kit/errors'
import { UploadAttachmentResponse } from '@sheaf/protos/sheaf/document_data/v1/attachments'
import {
  ImportTablesResponse,
  PreviewImportResponse,
} from '@sheaf/protos/sheaf/document_data/v1/import'
import { createRest } from '@sheaf/testkit/rest'
import { DOC, startStubbedGateway, type StubbedGateway } from './support/stub-services'

const progress = { $case: 'progress', value: { rowsRead: 1, rowsStored: 0 } } as const
const strict = { prefer: 'handling=strict' }

let failure: Error | undefined
let system: StubbedGateway
beforeAll(async () => {
  const receive = async (parts: AsyncIterable<unknown>) => {
    for await (const part of parts) void part
  }
  system = await startStubbedGateway({
    attachments: {
      uploadAttachment: async (parts) => {
        await receive(parts)
        return UploadAttachmentResponse.fromPartial({ attachments: [{ id: 7 }] })
      },
    },
    imports: {
      async *importTables(parts) {
        await receive(parts)
        yield ImportTablesResponse.fromPartial({ part: progress })
        if (failure) throw failure
        yield ImportTablesResponse.fromPartial({ part: { $case: 'done', value: { seq: 1 } } })
      },
      previewImport: async (parts) => {
        await receive(parts)
        return PreviewImportResponse.fromPartial({ format: 'csv' })
      },
    },
    documents: {
      createDocument: async (_request: object, call?: unknown) => {
        void (call as ServerCall)
        return system.access.grantNew()
      },
      discardDocument: async () => ({}),
      publishDocument: async () => ({}),
    },
  })
})
beforeEach(() => {
  failure = undefined
})
afterAll(() => system[Symbol.asyncDispose]())

interface Reply {
  readonly error: string
  readonly details: { readonly reason: string; readonly field: string }
}

/** Sends a form with these fields around a file. */
function send(
  path: string,
  fields: Readonly<Record<string, string>>,
  { headers = {}, late = {} }: { headers?: Record<string, string>; late?: object } = {},
) {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  form.append('upload', new Blob(['Item\nApples\n']), 'a.csv')
  for (const [name, value] of Object.entries(late)) form.append(name, String(value))
  return createRest(system.url, 'alice-key').post<Reply>(path, { body: form, headers })
}

const intoDocument = `/api/docs/${DOC}/import`
const newDocument = '/api/workspaces/1/import'
const target = JSON.stringify({ table: 'T' })

describe('a field of a form of an import', () => {
  it.each([
    ['target', target, newDocument],
    ['part', 'true', newDocument],
    ['part', 'true', intoDocument],
    ['name', 'x', intoDocument],
    ['target', target, `${intoDocument}/preview`],
    ['name', 'x', `${newDocument}/preview`],
  ])('%s that the route does not have is refused: %s to %s', async (field, value, path) => {
    const bad = { status: 400, body: { details: { reason: 'BAD_FIELD', field } } }
    expect(await send(path, { [field]: value })).toMatchObject(bad)
    expect(await send(path, {}, { late: { [field]: value } })).toMatchObject(bad)
  })

  it('that does not exist is refused in a strict request', async () => {
    const bad = { status: 400, body: { details: { reason: 'UNKNOWN_PROPERTY', field: 'tagret' } } }
    for (const path of [intoDocument, newDocument, `${intoDocument}/preview`]) {
      expect(await send(path, { tagret: target }, { headers: strict })).toMatchObject(bad)
      const late = { late: { tagret: target }, headers: strict }
      expect(await send(path, {}, late)).toMatchObject(bad)
    }
    expect((await send(intoDocument, { tagret: target })).status).toBe(200)
    expect((await send(intoDocument, { target }, { headers: strict })).status).toBe(200)
  })

  it.each([
    ['target', '{"table":"T","columns":{"__proto__":null}}', 'target.columns.__proto__'],
    ['options', '{"types":{"T":{"__proto__":"Int"}}}', 'options.types.T.__proto__'],
    ['target', '{"table":"T","columns":{"Item":""}}', 'target.columns.Item'],
  ])('%s with %s, which would have no effect, is refused', async (field, value, path) => {
    expect(await send(intoDocument, { [field]: value })).toMatchObject({
      status: 400,
      body: { details: { field: path } },
    })
  })
})

it('a form that is refused before its file is read to its end', async () => {
  const boundary = 'parts'
  const file = 'content-disposition: form-data; name="upload"; filename="a.csv"'
  const body = [
    `--${boundary}\r\ncontent-disposition: form-data; name="name"\r\n\r\nx\r\n`,
    // More than the buffers of the connection hold.
    `--${boundary}\r\n${file}\r\n\r\n${'x'.repeat(8_000_000)}\r\n--${boundary}--\r\n`,
  ].join('')
  const headers = {
    authorization: 'Bearer alice-key',
    'content-type': `multipart/form-data; boundary=${boundary}`,
    'content-length': body.length,
  }
  const url = `${system.url}${intoDocument}/preview`
  const sent = request(url, { method: 'POST', headers, agent: false })
  const replied = once(sent, 'response') as Promise<[IncomingMessage]>
  const isSent = once(sent, 'finish')
  sent.end(body)
  const [reply] = await replied
  expect(reply.statusCode).toBe(400)
  await isSent
  reply.resume()
  await once(reply, 'end')
})

it('a form of attachments with another field is refused in a strict request', async () => {
  const path = `/api/docs/${DOC}/attachments`
  const { status, body } = await send(path, { uplaod: 'x' }, { headers: strict })
  expect([status, body.details]).toEqual([400, { reason: 'UNKNOWN_PROPERTY', field: 'uplaod' }])
  expect((await send(path, { uplaod: 'x' })).status).toBe(200)
})

describe('lines of an import', () => {
  const lines = { accept: 'application/x-ndjson' }
  const lastOf = (body: unknown) =>
    JSON.parse(String(body).trim().split('\n').at(-1) ?? '') as Reply

  it('are not sent to a client that refuses them', async () => {
    const headers = { accept: 'application/x-ndjson;q=0, application/json' }
    const reply = await send(intoDocument, {}, { headers })
    expect(reply.headers.get('content-type')).toMatch(/^application\/json/)
  })

  it('end with an error as any other answer has it', async () => {
    failure = new AppError('unavailable', 'WRONG_HOME', 'not here')
    const moved = lastOf((await send(intoDocument, {}, { headers: lines })).body)
    expect(moved.details).toMatchObject({ reason: 'HOME_UNAVAILABLE', status: 503 })
    failure = new Error('a bug')
    const reply = await send(intoDocument, {}, { headers: { ...lines, 'x-request-id': 'r1' } })
    expect(lastOf(reply.body).details).toMatchObject({ reason: 'INTERNAL', requestId: 'r1' })
  })
})
