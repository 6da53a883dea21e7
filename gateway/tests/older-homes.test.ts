import { AddRecordsResponse } from '@sheaf/protos/sheaf/document_data/v1/records'
import { ImportTablesResponse } from '@sheaf/protos/sheaf/document_data/v1/import'
import { eventually } from '@sheaf/testkit/eventually'
import { createRest } from '@sheaf/testkit/rest'
import { DOC, startStubbedGateway, type StubbedGateway } from './support/stub-services'

const doc = `/api/docs/${DOC}`
const path = `${doc}/tables/T/records`
const views = `${doc}/tables/T/views`
const form = { name: 'F', type: 'form', form: { fields: [{ id: 'A' }] } }
const groups = { groupBy: ['A'] }
const body = { records: [{ fields: { A: 1 } }] }
const strict = { prefer: 'handling=strict' }

let system: StubbedGateway
let calls = 0
beforeAll(async () => {
  system = await startStubbedGateway({
    records: {
      async *readRecords() {
        calls++
        yield { chunk: Buffer.from('{"records":[]}'), seq: 1 }
      },
      addRecords: async () => {
        calls++
        return AddRecordsResponse.fromPartial({ rowIds: [1] })
      },
    },
    imports: {
      async *importTables(parts) {
        calls++
        for await (const part of parts) void part
        yield ImportTablesResponse.fromPartial({ part: { $case: 'done', value: { seq: 1 } } })
      },
    },
  })
  system.access.homeProtocol = 0
})
afterAll(() => system[Symbol.asyncDispose]())
beforeEach(() => {
  calls = 0
})

/** An import into the document. */
function importFile(headers: Record<string, string> = {}) {
  const upload = new FormData()
  upload.append('upload', new Blob(['A\n1\n']), 'a.csv')
  return bob().post(`${doc}/import`, { body: upload, headers })
}

const rest = createRest
const bob = () => rest(system.url, 'bob-key')
function callTool(name: string, args: object) {
  const params = { name, arguments: { docId: DOC, ...args } }
  const headers = { accept: 'application/json, text/event-stream' }
  return bob().post('/mcp', {
    body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
    headers,
  })
}

describe('an instance of an older release', () => {
  it.each([
    ['a former moment', () => bob().get(`${path}?asOf=12`)],
    ['the tables of a former moment', () => bob().get(`${doc}/tables?asOf=12`)],
    ['a dry run', () => bob().post(`${path}?dryRun=true`, { body })],
    ['a strict write', () => bob().post(path, { body, headers: strict })],
    ['the history of a key', () => bob().get(`${doc}/history?keyId=5`)],
    ['a search', () => bob().get(`${path}?search=a`)],
    ['a new form', () => bob().post(views, { body: { views: [{ fields: form }] } })],
    [
      'groups of a view',
      () => bob().patch(views, { body: { views: [{ id: 1, fields: groups }] } }),
    ],
    ['a search in a body', () => bob().post(`${path}/list`, { body: { search: 'a' } })],
  ])('is not called for %s, which it would ignore', async (_what, send) => {
    const reply = await send()
    expect(reply).toMatchObject({ status: 503, body: { details: { reason: 'HOME_TOO_OLD' } } })
    expect(reply.headers.get('retry-after')).toBe('2')
    expect(calls).toBe(0)
  })

  it.each([
    ['the history of a key', 'list_history', { keyId: 5 }],
    ['a search', 'read_rows', { tableId: 'T', search: 'a' }],
    ['a dry run', 'write', { dryRun: true, operations: [{ op: 'deleteTable', table: 'T' }] }],
  ])('is not called by agents for %s', async (_what, name, args) => {
    const { body } = await callTool(name, args)
    expect(JSON.stringify(body)).toContain('HOME_TOO_OLD')
  })

  it('serves everything else, and all once it is upgraded', async () => {
    expect((await bob().get(path)).status).toBe(200)
    expect((await bob().get(path, { headers: strict })).status).toBe(200)
    expect((await bob().post(path, { body })).status).toBe(200)
    expect(calls).toBe(3)
    system.access.homeProtocol = 1
    system.access.change()
    await eventually(async () => (await bob().get(`${path}?asOf=12`)).status === 200)
    expect((await bob().post(path, { body, headers: strict })).status).toBe(200)
    expect(calls).toBe(5)
  })

  it.each([
    ['a search in a language', () => bob().get(`${path}?search=a&searchLocale=de`)],
    ['an import with a key', () => importFile({ 'idempotency-key': 'k' })],
    ['an import for a state of the document', () => importFile({ 'if-match': '*' })],
    ['a strict import', () => importFile(strict)],
  ])('that has searches and imports is not called for %s', async (_what, send) => {
    system.access.homeProtocol = 5
    system.access.change()
    await eventually(async () => (await importFile()).status === 200)
    expect((await bob().get(`${path}?search=a`)).status).toBe(200)
    calls = 0
    expect(await send()).toMatchObject({
      status: 503,
      body: { details: { reason: 'HOME_TOO_OLD' } },
    })
    expect(calls).toBe(0)
  })

  it('is unavailable for calls that it does not know', async () => {
    const reply = await bob().get(`${doc}/compare?from=1`)
    expect(reply).toMatchObject({ status: 503, body: { details: { reason: 'SERVICE_TOO_OLD' } } })
  })
})

describe('a directory of an older release', () => {
  it('is not taken at its word that the form of a link does not exist', async () => {
    // It ignores the key, as this one does, and names no form.
    const reply = await rest(system.url).get('/api/forms/bob-key')
    expect(reply).toMatchObject({ status: 503, body: { details: { reason: 'SERVICE_TOO_OLD' } } })
  })
})
