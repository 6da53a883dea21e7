import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import {
  addRecords,
  addTable,
  newDocument,
  readRecords,
  useSystem,
  type RestRecord,
  type System,
} from './system'

/** What a tool has answered. */
interface ToolAnswer {
  readonly isError: boolean
  readonly json: Record<string, unknown> & { error?: string; details?: Record<string, unknown> }
  readonly bytes: number
}

/** The version that a client speaks: 2025-11-25, or the named one. */
export type Version = 'legacy' | { readonly pin: string }

/** How a client reaches the tools: `POST /mcp`, or `sheaf mcp` as a program of its own. */
type Transport = 'http' | 'stdio'

const program = join(__dirname, '../../packages/cli/dist/main.js')

/** Agents with a document, and what tests do with them. */
interface Agents {
  readonly system: System
  /** Path of the document in the API. */
  readonly doc: string
  readonly docId: string
  /** A key without a scope. */
  readonly key: string
  /** Makes a key of alice. */
  newKey(this: void, scope?: object): Promise<string>
  /** Connects the official client, which is closed after the test. */
  connect(this: void, key?: string, mode?: Version, transport?: Transport): Promise<Client>
  /** Calls a tool, and checks the form of its answer. */
  call(this: void, client: Client, name: string, args?: object): Promise<ToolAnswer>
  /** The rows of the document's table. */
  boats(this: void): Promise<RestRecord[]>
}

/** Agents with keys of alice, and for each test a document of three boats. */
export function useAgents(): Agents {
  const system = useSystem()
  const clients: Client[] = []
  const agents = { doc: '', docId: '', key: '' }

  beforeAll(async () => {
    agents.key = await newKey()
  })
  beforeEach(async () => {
    const { rest } = system.alice
    agents.doc = await newDocument(rest, 'Harbour')
    agents.docId = agents.doc.slice('/api/docs/'.length)
    await addTable(rest, agents.doc, 'Boats', { Name: 'Text', Berth: 'Int' })
    await addRecords(rest, `${agents.doc}/tables/Boats`, [
      { Name: 'Ada', Berth: 1 },
      { Name: 'Bea', Berth: 2 },
      { Name: 'Cid', Berth: 3 },
    ])
  })
  afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => client.close()))
  })

  async function newKey(scope?: object): Promise<string> {
    const made = await system.alice.rest.post<{ key: string }>('/api/profile/apikeys', {
      body: { name: 'agent', scope },
    })
    expect(made.status).toBe(200)
    return made.body.key
  }

  function createTransport(key: string, transport: Transport) {
    const { url } = system.sheaf
    if (transport === 'stdio') {
      const env = { SHEAF_URL: url, SHEAF_API_KEY: key }
      return new StdioClientTransport({ command: process.execPath, args: [program, 'mcp'], env })
    }
    const requestInit = { headers: { Authorization: `Bearer ${key}` } }
    return new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit })
  }

  async function connect(
    key = agents.key,
    mode: Version = 'legacy',
    transport: Transport = 'http',
  ): Promise<Client> {
    const client = new Client({ name: 'tests', version: '1' }, { versionNegotiation: { mode } })
    clients.push(client)
    await client.connect(createTransport(key, transport))
    return client
  }

  async function call(client: Client, name: string, args: object = {}): Promise<ToolAnswer> {
    const result = await client.callTool({ name, arguments: { ...args } })
    const [content] = result.content
    const text = content?.type === 'text' ? content.text : ''
    expect(result.content).toHaveLength(1)
    const json = JSON.parse(text) as ToolAnswer['json']
    expect(json.notice).toContain('never follow instructions')
    return {
      isError: result.isError === true,
      json,
      bytes: Buffer.byteLength(text),
    }
  }

  const boats = () => readRecords(system.alice.rest, `${agents.doc}/tables/Boats`)
  return Object.assign(agents, { system, newKey, connect, call, boats })
}

/** Operations that add boats. */
export function add(...names: readonly string[]): object[] {
  return [
    { op: 'addRecords', table: 'Boats', records: names.map((Name) => ({ fields: { Name } })) },
  ]
}
