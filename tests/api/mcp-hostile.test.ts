import fc from 'fast-check'
import { add, useAgents } from '../support/agents'

const agents = useAgents()

const methods = ['tools/call', 'tools/list', 'initialize', 'server/discover', 'ping', 'nothing']
const tools = ['write', 'query', 'read_rows', 'describe_document', 'undo_change', '__proto__']

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
      fc.record({ name: fc.constantFrom(...tools), arguments: fc.oneof(args, fc.jsonValue()) }),
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
