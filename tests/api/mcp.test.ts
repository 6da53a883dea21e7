import { randomUUID } from 'node:crypto'
import { createRest } from '@sheaf/testkit/rest'
import { add, useAgents } from '../support/agents'
import { formOf } from '../support/attachments'

const agents = useAgents()
const { system, connect, call, newKey, boats } = agents

describe.each([
  ['2025-11-25', 'legacy' as const],
  ['2026-07-28', { pin: '2026-07-28' }],
])('an agent of protocol version %s', (version, mode) => {
  it('sees at most 12 tools with closed schemas and true hints', async () => {
    const client = await connect(agents.key, mode)
    expect(client.getNegotiatedProtocolVersion()).toBe(version)
    expect(client.getInstructions()).toContain('dryRun')
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual([
      'find_documents',
      'describe_document',
      'query',
      'read_rows',
      'write',
      'undo_change',
      'compare_moments',
      'list_history',
      'check_formula',
      'list_attachments',
      'read_attachment',
    ])
    const changing = tools.filter(({ annotations }) => annotations?.readOnlyHint !== true)
    expect(changing.map(({ name }) => name)).toEqual(['write', 'undo_change'])
    for (const { annotations } of changing)
      expect(annotations).toMatchObject({ destructiveHint: true, idempotentHint: false })
    for (const { inputSchema } of tools) expect(inputSchema.additionalProperties).toBe(false)
    // What every session of an agent has to read.
    expect(JSON.stringify(tools).length).toBeLessThan(24_000)
  })

  it('reads attachments that are text, in parts', async () => {
    const client = await connect(agents.key, mode)
    const long = `${'é'.repeat(20_000)}end`
    for (const [name, content] of [
      ['log.txt', long],
      ['photo.bin', '\0\u0001'],
    ] as const) {
      const body = formOf([[name, content]])
      expect(await system.alice.rest.post(`${agents.doc}/attachments`, { body })).toMatchObject({
        status: 200,
      })
    }
    const listed = await call(client, 'list_attachments', { docId: agents.docId })
    expect(listed.json.attachments).toMatchObject([
      { id: 1, fields: { fileName: 'log.txt' } },
      { id: 2 },
    ])
    let text = ''
    let cursor: unknown
    do {
      const part = await call(client, 'read_attachment', {
        docId: agents.docId,
        attachmentId: 1,
        cursor,
      })
      text += String(part.json.text)
      cursor = part.json.nextCursor ?? undefined
    } while (cursor !== undefined)
    expect(text).toBe(long)
    const binary = await call(client, 'read_attachment', { docId: agents.docId, attachmentId: 2 })
    expect(binary.json).toMatchObject({ fileName: 'photo.bin', fileSize: 2, text: null })
  })

  it('makes a change once that it repeats with the same requestId', async () => {
    const client = await connect(agents.key, mode)
    const requestId = randomUUID()
    const args = { docId: agents.docId, operations: add('Once'), requestId }
    const first = await call(client, 'write', args)
    const again = await call(await connect(agents.key, mode), 'write', args)
    expect(again.json).toEqual(first.json)
    expect(await boats()).toHaveLength(4)

    const other = await call(client, 'write', { ...args, operations: add('Other') })
    expect(other).toMatchObject({
      isError: true,
      json: { details: { reason: 'IDEMPOTENCY_KEY_REUSED' } },
    })
    // Another key is another caller, who may have chosen the same id.
    const stranger = await connect(await newKey(), mode)
    expect((await call(stranger, 'write', args)).isError).toBe(false)
    expect(await boats()).toHaveLength(5)
  })

  it('gets the reason and the message of the API for what is refused', async () => {
    const client = await connect(agents.key, mode)
    const refused = async (name: string, args: object) => {
      const { isError, json } = await call(client, name, args)
      expect(isError).toBe(true)
      expect(JSON.stringify(json)).not.toMatch(/\.[jt]s:\d/)
      return json
    }
    expect(await refused('query', { docId: agents.docId, sql: 'delete from Boats' })).toMatchObject(
      {
        details: { reason: 'INVALID_SQL' },
      },
    )
    expect(await refused('read_rows', { docId: agents.docId, tableId: 'Boat' })).toMatchObject({
      details: { reason: 'TABLE_NOT_FOUND', suggestion: 'Boats' },
    })
    expect(await refused('read_rows', { docId: 'nowhere', tableId: 'Boats' })).toMatchObject({
      details: { reason: 'DOCUMENT_NOT_FOUND' },
    })
    const operations = [{ op: 'updateRecords', table: 'Boats', records: [{ id: 1, feilds: {} }] }]
    expect(await refused('write', { docId: agents.docId, operations })).toMatchObject({
      error: expect.stringContaining('operations[0].records[0]') as string,
    })
    expect(await refused('undo_change', { docId: agents.docId, seq: 999_999 })).toMatchObject({
      details: { reason: 'CHANGE_NOT_FOUND' },
    })
    expect(await boats()).toHaveLength(3)
  })
})

it('refuses arguments that a tool does not have, and names them', async () => {
  const client = await connect()
  const calls: [string, object, string, string][] = [
    [
      'write',
      { docId: agents.docId, operations: add('X'), dryrun: true },
      'UNKNOWN_PROPERTY',
      'dryrun',
    ],
    ['query', { docId: agents.docId, sql: 'select 1', limit: 1e9 }, 'INVALID_PARAMETER', 'limit'],
    ['query', { docId: agents.docId, sql: ['select 1'] }, 'INVALID_PARAMETER', 'sql'],
    ['query', { docId: agents.docId, sql: 'select 1', cursor: '-1' }, 'INVALID_CURSOR', 'cursor'],
    ['read_rows', { docId: agents.docId, tableId: 7 }, 'INVALID_PARAMETER', 'tableId'],
    ['read_rows', { docId: agents.docId }, 'INVALID_PARAMETER', 'tableId'],
    ['write', { docId: agents.docId, operations: {} }, 'INVALID_PARAMETER', 'operations'],
    [
      'write',
      { docId: agents.docId, operations: add('X'), requestId: 'a b' },
      'INVALID_PARAMETER',
      'requestId',
    ],
    ['undo_change', { docId: agents.docId, seq: '1' }, 'INVALID_PARAMETER', 'seq'],
    ['find_documents', { __proto__: null, constructor: 1 }, 'UNKNOWN_PROPERTY', 'constructor'],
    ['compare_moments', { docId: agents.docId, from: 'yesterday' }, 'INVALID_PARAMETER', 'from'],
  ]
  for (const [name, args, reason, parameter] of calls) {
    const { isError, json } = await call(client, name, args)
    expect([name, isError, json.details]).toMatchObject([name, true, { reason, parameter }])
    expect(json.error).toContain(parameter)
  }
  expect(await boats()).toHaveLength(3)
  await expect(client.callTool({ name: 'drop_everything', arguments: {} })).rejects.toThrow(
    'drop_everything',
  )
})

describe('without the client', () => {
  const post = (body: unknown, own = agents.key) =>
    createRest(system.sheaf.url, own).post<Record<string, unknown>>('/mcp', {
      body: body as object,
    })
  const message = (id: unknown, method: string, params: object = {}) => ({
    jsonrpc: '2.0',
    id,
    method,
    params,
  })

  it('one request calls a tool: there are no sessions', async () => {
    const params = {
      name: 'query',
      arguments: { docId: agents.docId, sql: 'select count(*) as n from Boats' },
    }
    const { status, body } = await post(message(1, 'tools/call', params))
    expect([status, JSON.stringify(body)]).toEqual([200, expect.stringContaining('\\"n\\":3')])
    for (const method of ['get', 'delete'] as const)
      expect((await createRest(system.sheaf.url, agents.key)[method]('/mcp')).status).toBe(405)
  })

  it('takes a UUID as the id of a repetition, but no number', async () => {
    const write = (id: unknown, name: string) =>
      post(
        message(id, 'tools/call', {
          name: 'write',
          arguments: { docId: agents.docId, operations: add(name) },
        }),
      )
    const id = randomUUID()
    const answers = [await write(id, 'a'), await write(id, 'a')].map(({ body }) => body)
    expect(answers[1]).toEqual(answers[0])
    await write(1, 'b')
    await write(1, 'b')
    expect((await boats()).map(({ fields }) => fields.Name)).toEqual([
      'Ada',
      'Bea',
      'Cid',
      'a',
      'b',
      'b',
    ])
  })

  it('refuses a number that would become null', async () => {
    const headers = { 'content-type': 'application/json' }
    const post = (args: string) =>
      createRest(system.sheaf.url, agents.key).post<object>('/mcp', {
        headers,
        body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${args.replace('DOC', agents.docId)}}`,
      })
    for (const args of [
      '{"name":"write","arguments":{"docId":"DOC","operations":[{"op":"addRecords","table":"Boats","records":[{"fields":{"Berth":1e400}}]}]}}',
      '{"name":"read_rows","arguments":{"docId":"DOC","tableId":"Boats","filter":{"Berth":[-1e400]}}}',
      '{"name":"query","arguments":{"docId":"DOC","sql":"select ?","args":[1e400]}}',
    ]) {
      const { body } = await post(args)
      expect(body).toMatchObject({ result: { isError: true } })
      expect(JSON.stringify(body)).toContain('INVALID_PARAMETER')
    }
    expect(await boats()).toHaveLength(3)
  })

  it('refuses callers without a key, and messages that are none', async () => {
    const list = message(1, 'tools/list')
    expect(await system.anonymous.post('/mcp', { body: list })).toMatchObject({
      status: 401,
      body: { details: { reason: 'SIGN_IN_NEEDED' } },
    })
    expect((await post(list, 'sk_wrong')).status).toBe(401)
    for (const body of [[list, list], {}, { jsonrpc: '1.0', method: 'tools/list', id: 1 }])
      expect((await post(body)).status).toBe(400)
    expect((await post(message(undefined, 'notifications/initialized'))).status).toBe(202)
    const unknown = await post(message(1, 'resources/list'))
    expect(unknown.body).toMatchObject({ error: { code: -32601 } })
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 't', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    const headers = {
      'MCP-Protocol-Version': '2026-07-28',
      'Mcp-Method': 'subscriptions/listen',
    }
    const listen = await createRest(system.sheaf.url, agents.key).post<object>('/mcp', {
      headers,
      body: message(1, 'subscriptions/listen', { _meta: meta, notifications: {} }),
    })
    expect(listen.body).toMatchObject({ error: {} })
  })
})
