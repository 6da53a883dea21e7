import { add, useAgents, type Version } from '../support/agents'
import { formOf } from '../support/attachments'

/* Every tool, by the official client, over each transport and in each version of the protocol. */

const agents = useAgents()

const versions = [
  ['2025-11-25', 'legacy'],
  ['2026-07-28', { pin: '2026-07-28' }],
] as const satisfies readonly (readonly [string, Version])[]
const combinations = (['http', 'stdio'] as const).flatMap((transport) =>
  versions.map(([version, mode]) => [transport, version, mode] as const),
)

type Arguments = Readonly<Record<string, unknown>>

/** A call, and what its answer contains. */
interface ToolCall {
  readonly tool: string
  /** Sent with `docId`; from the latest answer of a tool where that names what to do next. */
  readonly args?: Arguments | ((latest: (tool: string) => Answer) => Arguments)
  readonly answer: object
}

/** What later calls take from answers. */
interface Answer {
  readonly seq: number
  readonly nextCursor: string
  readonly undo: { readonly arguments: Arguments }
}

const boatsByBerth = {
  sql: 'select Name from Boats where Berth > ? order by Name',
  args: [0],
  limit: 2,
}
const dots = { tableId: 'Boats', filter: { Name: ['Dot'] } }
const topBoats = { tableId: 'Boats', sort: ['-Berth'], fields: ['Name'], limit: 2 }

/** Calls in order, on a document of three boats and one file. */
const calls: readonly ToolCall[] = [
  {
    tool: 'describe_document',
    answer: {
      tables: [{ id: 'Table1' }, { id: 'Boats', columns: { Name: 'Text', Berth: 'Int' } }],
    },
  },
  {
    tool: 'query',
    args: boatsByBerth,
    answer: { rows: [{ Name: 'Ada' }, { Name: 'Bea' }], nextCursor: '2' },
  },
  {
    tool: 'query',
    args: (latest) => ({ ...boatsByBerth, cursor: latest('query').nextCursor }),
    answer: { rows: [{ Name: 'Cid' }], nextCursor: null },
  },
  {
    tool: 'read_rows',
    args: topBoats,
    answer: {
      rows: [
        { id: 3, fields: { Name: 'Cid' } },
        { id: 2, fields: { Name: 'Bea' } },
      ],
    },
  },
  {
    tool: 'read_rows',
    args: (latest) => ({ ...topBoats, cursor: latest('read_rows').nextCursor }),
    answer: { rows: [{ id: 1 }], nextCursor: null },
  },
  {
    tool: 'write',
    args: { operations: add('Tried'), dryRun: true },
    answer: {
      dryRun: true,
      change: { operations: [{ action: 'addRows', tableId: 'Boats', rowIds: [4] }] },
    },
  },
  {
    tool: 'write',
    args: { operations: add('Dot') },
    answer: {
      operations: [{ op: 'addRecords', table: 'Boats', added: [4] }],
      undo: { tool: 'undo_change' },
    },
  },
  { tool: 'read_rows', args: dots, answer: { rows: [{ id: 4 }] } },
  {
    tool: 'read_rows',
    args: { tableId: 'Boats', search: 'DOT', searchFields: ['Name'] },
    answer: { rows: [{ id: 4 }] },
  },
  {
    tool: 'compare_moments',
    args: (latest) => ({ from: latest('write').seq - 1 }),
    answer: { tables: [{ tableId: 'Boats', rows: { added: 1 } }] },
  },
  {
    tool: 'compare_moments',
    args: (latest) => {
      const { seq } = latest('write')
      return { from: seq - 1, to: seq, summary: false }
    },
    answer: { operations: [{ rowIds: [4] }], nextCursor: null },
  },
  {
    tool: 'undo_change',
    args: (latest) => latest('write').undo.arguments,
    answer: { undo: { tool: 'undo_change' } },
  },
  { tool: 'read_rows', args: dots, answer: { rows: [] } },
  {
    tool: 'list_history',
    args: { limit: 2 },
    answer: { changes: [{ cause: 'undo' }, { cause: 'api' }] },
  },
  {
    tool: 'check_formula',
    args: { tableId: 'Boats', formula: '$Berth * 2', rowIds: [3] },
    answer: { syntaxErrors: [], rows: [{ id: 3, value: 6 }] },
  },
  {
    tool: 'list_attachments',
    answer: { attachments: [{ id: 1, fields: { fileName: 'log.txt' } }] },
  },
  {
    tool: 'read_attachment',
    args: { attachmentId: 1 },
    answer: { text: 'All is well', nextCursor: null },
  },
]

it.each(combinations)(
  'every tool answers over %s in version %s',
  async (transport, version, mode) => {
    const file = formOf([['log.txt', 'All is well']])
    await agents.system.alice.rest.post(`${agents.doc}/attachments`, { body: file })
    const client = await agents.connect(agents.key, mode, transport)
    expect(client.getNegotiatedProtocolVersion()).toBe(version)

    const found = await agents.call(client, 'find_documents', { query: 'harb' })
    expect(found.json.documents).toContainEqual(
      expect.objectContaining({ docId: agents.docId, name: 'Harbour' }),
    )
    const answers = new Map<string, object>([['find_documents', found.json]])
    const latest = (tool: string) => answers.get(tool) as Answer
    for (const { tool, args, answer } of calls) {
      const more = typeof args === 'function' ? args(latest) : args
      const { json } = await agents.call(client, tool, { docId: agents.docId, ...more })
      expect([tool, json]).toMatchObject([tool, answer])
      answers.set(tool, json)
    }
    expect(latest('list_history')).toMatchObject({ next: latest('write').seq })

    // A new tool needs a call in the list.
    const { tools } = await client.listTools()
    expect([...answers.keys()].sort()).toEqual(tools.map(({ name }) => name).sort())
  },
)
