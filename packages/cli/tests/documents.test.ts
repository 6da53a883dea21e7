import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { runCli } from '../src/program'

const bob = { id: 5, name: 'Bob', email: 'bob@example.com' }
const moments = {
  from: { seq: 1, time: '2026-03-01T09:00:00.000Z' },
  to: { seq: 4, time: '2026-03-01T09:30:00.000Z' },
}
const rows = (action: string, rowIds: number[], cells: object) => {
  return { action, tableId: 'People', tableRef: 1, rowIds, columns: { Name: cells } }
}
const change = (seq: number, user: typeof bob | null, operations: object[]) => {
  return { seq, time: `2026-03-01T09:0${seq}:00.000Z`, user, cause: 'api', operations }
}

const answers = new Map<string, unknown>([
  [
    '/api/docs/doc%2F1/history?limit=3',
    {
      changes: [
        change(4, bob, [
          rows('updateRows', [1, 2], { old: ['a', 'b'], new: ['c', 'd'] }),
          rows('updateRows', [3], { old: ['e'], new: ['f'] }),
          { action: 'removeColumn', tableId: 'People', colId: 'Age', old: {} },
        ]),
        { ...change(3, null, []), truncated: true },
      ],
      next: 3,
    },
  ],
  [
    '/api/docs/doc%2F1/history?before=3&limit=1',
    { changes: [change(2, bob, [rows('addRows', [1], { new: ['a'] })])], next: 2 },
  ],
  [
    '/api/docs/doc%2F1/compare?from=1&limit=10000',
    {
      ...moments,
      operations: [
        { action: 'addTable', tableId: 'Pets', new: {} },
        {
          action: 'updateColumn',
          tableId: 'People',
          colId: 'A',
          old: { type: 'Int' },
          new: { type: 'Text' },
        },
        rows('updateRows', [1, 2], { old: ['a', 'b'], new: ['c', 'd'.repeat(100)] }),
      ],
      nextCursor: 'abc',
    },
  ],
  [
    '/api/docs/doc%2F1/compare?from=1&limit=10000&cursor=abc',
    {
      ...moments,
      operations: [rows('addRows', [7], { new: ['x'] }), rows('removeRows', [8], { old: ['y'] })],
      nextCursor: null,
    },
  ],
  ['/api/docs/doc%2F1/restore', { seq: 5 }],
  ['/api/docs/doc%2F9/restore?dryRun=true', { result: { seq: 4 }, change: null }],
  [
    '/api/docs/doc%2F8/restore?dryRun=true',
    { result: { seq: 5 }, change: { ...change(5, bob, []), truncated: true } },
  ],
  [
    '/api/docs/doc%2F1/restore?dryRun=true',
    {
      result: { seq: 5 },
      change: {
        operations: [
          {
            action: 'updateRows',
            tableId: 'People',
            rowIds: [1],
            columns: { Name: { old: ['c'], new: ['a'] } },
          },
        ],
      },
    },
  ],
  [
    '/api/docs/doc%2F1/compare?from=1&to=4&summary=true',
    {
      ...moments,
      tables: [
        {
          tableId: 'Pets',
          tableRef: 2,
          change: 'added',
          columns: { added: 0, removed: 0, changed: 0 },
          rows: { added: 12, removed: 0, changed: 0 },
        },
      ],
    },
  ],
])

describe('documents', () => {
  let server: Server
  let out: string[]
  /** The bodies that were received. */
  let sent: string[]
  beforeEach(async () => {
    sent = []
    server = createServer((request, response) => {
      const { url = '' } = request
      const answer = answers.get(url)
      const body = JSON.stringify(answer ?? { error: `no ${url}` })
      void text(request).then((given) => {
        if (given !== '') sent.push(given)
        response.writeHead(answer === undefined ? 404 : 200).end(body)
      })
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  })
  afterEach(async () => {
    server.closeAllConnections()
    await new Promise((done) => server.close(done))
  })

  async function documents(...args: string[]): Promise<string[]> {
    out = []
    const err: string[] = []
    const { port } = server.address() as AddressInfo
    const code = await runCli(['documents', ...args], {
      env: { SHEAF_URL: `http://127.0.0.1:${port}`, SHEAF_API_KEY: 'alice' },
      cwd: '/',
      terminal: { out: (text) => out.push(...text.split('\n')), err: (text) => err.push(text) },
    })
    return code === 0 ? out : [`exit code ${code}`, ...err]
  }

  it('prints the changes of a document, newest first, over pages up to the limit', async () => {
    expect(await documents('log', 'doc/1', '--limit', '3')).toEqual([
      '4  2026-03-01T09:04:00.000Z  bob@example.com  api  People: changed 3 rows, column People.Age removed',
      '3  2026-03-01T09:03:00.000Z  Sheaf  api  a large change',
      '2  2026-03-01T09:02:00.000Z  bob@example.com  api  People: added 1 row',
    ])
  })

  it('prints changes as lines of JSON', async () => {
    const lines = await documents('log', 'doc/1', '--limit', '3', '--json')
    expect(lines.map((line) => (JSON.parse(line) as { seq: number }).seq)).toEqual([4, 3, 2])
  })

  it('prints what differs between two moments, a line for each table, column and row', async () => {
    expect(await documents('compare', 'doc/1', '--from', '1')).toEqual([
      '+ table Pets',
      '~ column People.A: type "Int" → "Text"',
      '~ People 1: Name "a" → "c"',
      `~ People 2: Name "b" → "${'d'.repeat(59)}…`,
      '+ People 7: Name "x"',
      '- People 8: Name "y"',
    ])
  })

  it('prints the moments and the differences as lines of JSON', async () => {
    const lines = await documents('compare', 'doc/1', '--from', '1', '--json')
    expect(lines).toHaveLength(6)
    expect(JSON.parse(lines[0] ?? '')).toEqual(moments)
    expect(JSON.parse(lines[5] ?? '')).toMatchObject({ action: 'removeRows', rowIds: [8] })
  })

  it('prints how many columns and rows differ', async () => {
    expect(await documents('compare', 'doc/1', '--from', '1', '--to', '4', '--summary')).toEqual([
      'change 1 (2026-03-01T09:00:00.000Z) → change 4 (2026-03-01T09:30:00.000Z)',
      'TABLE  CHANGE  COLUMNS   ROWS',
      'Pets   added   +0 -0 ~0  +12 -0 ~0',
    ])
  })

  it('prints what restoring a moment would change, and restores it', async () => {
    expect(await documents('restore', 'doc/1', '--to', '4', '--dry-run')).toEqual([
      '~ People 1: Name "c" → "a"',
    ])
    expect(await documents('restore', 'doc/1', '--to', '4', '--table', 'People')).toEqual([
      'restored: the document is at change 5, whose undo takes this back',
    ])
    const tried = '{"asOf":"4","tableId":"People"}'
    expect(sent).toEqual(['{"asOf":"4"}', tried, tried])
    expect(await documents('restore', 'doc/9', '--to', '4')).toEqual([
      'nothing has changed since that moment',
    ])
    expect(sent).toHaveLength(4)
  })

  it('tells that more would be restored than can be shown', async () => {
    expect(await documents('restore', 'doc/8', '--to', '4', '--dry-run')).toEqual([
      'more would change than can be shown',
    ])
  })

  it('refuses a comparison without a moment, and a limit that is no number', async () => {
    expect((await documents('compare', 'doc/1'))[0]).toBe('exit code 2')
    expect((await documents('log', 'doc/1', '--limit', 'x'))[0]).toBe('exit code 2')
    expect(await documents('log', 'doc/2')).toEqual([
      'exit code 1',
      expect.stringContaining('no /api/docs/doc%2F2'),
    ])
  })
})
