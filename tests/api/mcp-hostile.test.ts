import fc from 'fast-check'
import { add, useAgents } from '../support/agents'

const agents = useAgents()

const methods = ['tools/call', 'tools/list', 'initialize', 'server/discover', 'ping', 'nothing']

/** Arguments that have the names of true ones, with any values. */
const args = fc.dictionary(
  fc.constantFrom('docId', 'operations', 'sql', 'table', 'seq', 'cursor', 'limit', 'other'),
  fc.jsonValue(),
)

const messages = fc.oneof(
  fc.jsonValue(),
  fc.record({
    jsonrpc: fc.constantFrom('2.0', '1.0', 2),
    id: fc.oneof(fc.integer(), fc.string(), fc.constant(null)),
    method: fc.constantFrom(...methods),
    params: fc.oneof(
      fc.jsonValue(),
      fc.record({
        name: fc.constantFrom('write', 'query', '__proto__'),
        arguments: fc.oneof(args, fc.jsonValue()),
      }),
    ),
  }),
)

const versions = fc.constantFrom('2026-07-28', '2025-11-25', '1999-01-01', undefined)

it('any message is answered below 500, without a stack, and changes nothing', async () => {
  const before = await agents.boats()
  await fc.assert(
    fc.asyncProperty(messages, versions, async (message, version) => {
      const answer = await fetch(new URL('/mcp', agents.system.sheaf.url), {
        method: 'POST',
        headers: {
          authorization: `Bearer ${agents.key}`,
          'content-type': 'application/json',
          ...(version && { 'mcp-protocol-version': version }),
        },
        body: JSON.stringify(message),
      })
      expect(answer.status).toBeLessThan(500)
      const text = await answer.text()
      expect(text).not.toMatch(/node_modules|\bat .*\.[jt]s:\d+/)
      if (text !== '') expect(typeof JSON.parse(text)).toBe('object')
    }),
    { numRuns: 300 },
  )
  expect(await agents.boats()).toEqual(before)
})

/** Values that a tool may take for true ones: near the right type, of the wrong size, or in another form. */
const hostile = fc.oneof(
  fc.constantFrom<unknown>(
    ...[
      0,
      1,
      9,
      -1,
      1.5,
      2 ** 31,
      2 ** 53,
      1e308,
      true,
      null,
      '',
      '0',
      '9',
      '-1',
      'Boats',
      'boats',
    ],
    ...[
      '_grist_Tables',
      'id',
      '-Berth',
      '$a',
      '\0',
      '\ud800',
      'x'.repeat(300),
      'select 1',
      'select * from Boats',
    ],
    ...['select', '2026-01-01T00:00:00Z', '9999-12-31T23:59:59Z', '$Berth +', '1/0', '__proto__'],
    ...[[], {}, ['Boats'], { Berth: [1] }, { Berth: { gt: 1 } }, { id: ['x'] }],
  ),
  fc.jsonValue(),
)

it('every tool refuses or answers any arguments on a true document, without an internal error', async () => {
  const client = await agents.connect()
  const { tools } = await client.listTools()
  const before = await agents.boats()
  const calls = tools.map(({ name, inputSchema: { properties = {}, required = [] } }) => {
    const others = Object.keys(properties).filter((property) => property !== 'docId')
    const given = Object.fromEntries(others.map((property) => [property, hostile]))
    const requiredKeys = required.filter((property) => property !== 'docId')
    return fc.tuple(fc.constant(name), fc.record(given, { requiredKeys }))
  })
  await fc.assert(
    fc.asyncProperty(fc.oneof(...calls), async ([name, given]) => {
      const own = name === 'find_documents' ? given : { docId: agents.docId, ...given }
      // Nothing that succeeds by chance is kept.
      const tried = name === 'write' || name === 'undo_change' ? { ...own, dryRun: true } : own
      const { json } = await agents.call(client, name, tried)
      expect(json.details?.reason).not.toBe('INTERNAL')
    }),
    { numRuns: 1_000 },
  )
  expect(await agents.boats()).toEqual(before)
})

it.each([
  ['an unknown document', { docId: 'nowhere', operations: add('Dot') }],
  ['operations that are no list', { docId: 'DOC', operations: 'all' }],
  ['an argument that does not exist', { docId: 'DOC', operations: add('Dot'), force: true }],
  ['a prototype', { docId: 'DOC', operations: [{ op: '__proto__', table: 'constructor' }] }],
])('write refuses %s, and adds nothing', async (_, hostile) => {
  const client = await agents.connect()
  const docId = hostile.docId === 'DOC' ? agents.docId : hostile.docId
  const { isError, json } = await agents.call(client, 'write', { ...hostile, docId })
  expect(isError).toBe(true)
  expect(json.error).toEqual(expect.any(String))
  expect(await agents.boats()).toHaveLength(3)
})
