import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { add, useAgents } from '../support/agents'

const agents = useAgents()
const program = join(__dirname, '../../packages/cli/dist/main.js')

it.each([
  ['2025-11-25', 'legacy' as const],
  ['2026-07-28', { pin: '2026-07-28' }],
])('`sheaf mcp` serves the tools to a local client of version %s', async (version, mode) => {
  const client = new Client({ name: 'tests', version: '1' }, { versionNegotiation: { mode } })
  const env = { SHEAF_URL: agents.system.sheaf.url, SHEAF_API_KEY: agents.key }
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [program, 'mcp'], env }),
  )
  try {
    expect(client.getNegotiatedProtocolVersion()).toBe(version)
    expect((await client.listTools()).tools).toHaveLength(11)
    const { docId } = agents
    const written = await agents.call(client, 'write', { docId, operations: add('Dot') })
    expect(written.isError).toBe(false)
    const sql = 'select count(*) as n from Boats'
    expect((await agents.call(client, 'query', { docId, sql })).json.rows).toEqual([{ n: 4 }])
  } finally {
    await client.close()
  }
})
