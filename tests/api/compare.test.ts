import type { Rest } from '@sheaf/testkit/rest'
import { addRecords, addTable, emailOf, newDocument, useSystem } from '../support/system'

const system = useSystem()
let doc = ''

interface Operation {
  action: string
  tableId: string
  colId?: string
  rowIds?: number[]
  columns?: Record<string, { old?: unknown[]; new?: unknown[] }>
  old?: Record<string, unknown>
  new?: Record<string, unknown>
}
interface Moment {
  seq: number
  time: string
}
interface Comparison {
  from: Moment
  to: Moment
  operations: Operation[]
  nextCursor: string | null
  tables: object[]
  error?: string
  details?: { reason: string; parameter?: string; oldestSeq?: string }
}

const compare = (query: object, rest: Rest = system.alice.rest, headers = {}) =>
  rest.get<Comparison>(`${doc}/compare`, { query: query as Record<string, unknown>, headers })
const patch = (records: object[]) =>
  system.alice.rest.patch(`${doc}/tables/Pets/records`, { body: { records } })

/** What the rows of operations became, by row id. */
const rowsOf = (operations: Operation[]) =>
  operations.flatMap(({ action, rowIds = [], columns = {} }) =>
    rowIds.map((id, i) => [action, id, columns.Name?.old?.[i], columns.Name?.new?.[i]]),
  )

beforeEach(async () => {
  const { rest } = system.alice
  doc = await newDocument(rest)
  await addTable(rest, doc, 'Pets', { Name: 'Text', Age: 'Int' })
  await addRecords(rest, `${doc}/tables/Pets`, [
    { Name: 'Rex', Age: 3 },
    { Name: 'Tom', Age: 4 },
    { Name: 'Ada', Age: 5 },
  ])
})

describe('the comparison of two moments', () => {
  it('lists tables, columns and rows that differ, as operations that lead from one to the other', async () => {
    const { rest } = system.alice
    await patch([{ id: 1, fields: { Age: 30 } }])
    await patch([{ id: 1, fields: { Age: 31 } }])
    await rest.post(`${doc}/tables/Pets/data/delete`, { body: [2] })
    await addRecords(rest, `${doc}/tables/Pets`, [{ Name: 'Eve', Age: 6 }])
    await rest.patch(`${doc}/tables/Pets/columns`, {
      body: { columns: [{ id: 'Age', fields: { colId: 'Years' } }] },
    })
    await addTable(rest, doc, 'Toys', { What: 'Text' })
    const { status, body } = await compare({ from: 3 })
    expect(status).toBe(200)
    expect(body.from).toEqual({ seq: 3, time: expect.stringMatching(/Z$/) as string })
    expect([body.to.seq, body.nextCursor]).toEqual([9, null])
    expect(body.operations.map(({ action, tableId, colId }) => [action, tableId, colId])).toEqual([
      ['updateColumn', 'Pets', 'Age'],
      ['addTable', 'Toys', undefined],
      ['updateRows', 'Pets', undefined],
      ['removeRows', 'Pets', undefined],
      ['addRows', 'Pets', undefined],
    ])
    const [column, , changed, removed] = body.operations
    expect([column?.old, column?.new]).toEqual([{ colId: 'Age' }, { colId: 'Years' }])
    expect(changed?.columns).toEqual({
      Years: { colRef: expect.any(Number) as number, old: [3], new: [31] },
    })
    expect([removed?.rowIds, removed?.columns?.Age?.old]).toEqual([[2], [4]])
  })

  it('leads back when the first moment is the later one, and takes times', async () => {
    await patch([{ id: 1, fields: { Name: 'Max' } }])
    const back = (await compare({ from: 4, to: 3 })).body
    expect(rowsOf(back.operations)).toEqual([['updateRows', 1, 'Max', 'Rex']])
    const byTime = (await compare({ from: back.to.time, to: back.from.time })).body
    expect([byTime.from.seq, byTime.to.seq]).toEqual([
      expect.any(Number),
      back.from.time === back.to.time ? byTime.from.seq : 4,
    ])
    const same = (await compare({ from: 4, to: 4 })).body
    expect([same.operations, same.nextCursor]).toEqual([[], null])
  })

  it('is read in pages that show the same moments, although the document changes', async () => {
    await patch([1, 2, 3].map((id) => ({ id, fields: { Name: `new ${id}` } })))
    const first = (await compare({ from: 3, limit: 2 })).body
    expect(rowsOf(first.operations).map(([, id]) => id)).toEqual([1, 2])
    await patch([{ id: 3, fields: { Name: 'later' } }])
    const second = (await compare({ from: 3, limit: 2, cursor: first.nextCursor })).body
    expect(rowsOf(second.operations)).toEqual([['updateRows', 3, 'Ada', 'new 3']])
    expect([second.from, second.to, second.nextCursor]).toEqual([first.from, first.to, null])
    const other = await compare({ from: 3, tableId: 'Pets', cursor: first.nextCursor })
    expect([other.status, other.body.details?.reason]).toEqual([400, 'INVALID_CURSOR'])
  })

  it('has each of many rows once, over all pages', async () => {
    const { rest } = system.alice
    const many = Array.from({ length: 2500 }, (_, i) => ({ Name: `pet ${i}`, Age: i }))
    await addRecords(rest, `${doc}/tables/Pets`, many)
    await patch([{ id: 2, fields: { Name: 'Max' } }])
    const ids: unknown[] = []
    const sizes: number[] = []
    for (let cursor: string | null | undefined; cursor !== null;) {
      const { body }: { body: Comparison } = await compare({ from: 3, cursor })
      const page = rowsOf(body.operations).map(([, id]) => id)
      ids.push(...page)
      sizes.push(page.length)
      cursor = body.nextCursor
    }
    expect(sizes).toEqual([1000, 1000, 501])
    expect(ids).toEqual([2, ...many.map((_, i) => i + 4)])
  })

  it('has the results of formulas, and attachments', async () => {
    const { rest } = system.alice
    const columns = [{ id: 'Next', fields: { isFormula: true, type: 'Int', formula: '$Age + 1' } }]
    await rest.post(`${doc}/tables/Pets/columns`, { body: { columns } })
    await patch([{ id: 1, fields: { Age: 30 } }])
    const form = new FormData()
    form.append('upload', new Blob(['text']), 'a.txt')
    await rest.post(`${doc}/attachments`, { body: form })
    const { operations } = (await compare({ from: 4 })).body
    expect(operations.map(({ action, tableId }) => [action, tableId])).toEqual([
      ['addRows', '_grist_Attachments'],
      ['updateRows', 'Pets'],
    ])
    expect(operations[1]?.columns).toMatchObject({
      Age: { old: [3], new: [30] },
      Next: { old: [4], new: [31] },
    })
  })

  it('is streamed whole as lines', async () => {
    await patch([1, 2, 3].map((id) => ({ id, fields: { Name: `new ${id}` } })))
    const headers = { accept: 'application/x-ndjson' }
    const reply = await system.alice.rest.get<string>(`${doc}/compare`, {
      query: { from: 3, limit: 1 },
      headers,
    })
    expect(reply.headers.get('content-type')).toBe('application/x-ndjson')
    const [moments, ...operations] = reply.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown)
    expect(moments).toMatchObject({ from: { seq: 3 }, to: { seq: 4 } })
    expect(rowsOf(operations as Operation[]).map(([, id]) => id)).toEqual([1, 2, 3])
  })

  it('counts what differs by table', async () => {
    const { rest } = system.alice
    await patch([{ id: 1, fields: { Age: 30 } }])
    await addTable(rest, doc, 'Toys', { What: 'Text' })
    const { body } = await compare({ from: 3, summary: true })
    const none = { added: 0, removed: 0, changed: 0 }
    expect([body.from.seq, body.to.seq]).toEqual([3, 5])
    expect(body.tables).toEqual([
      {
        tableId: 'Pets',
        tableRef: 2,
        change: 'none',
        columns: none,
        rows: { ...none, changed: 1 },
      },
      { tableId: 'Toys', tableRef: 3, change: 'added', columns: none, rows: none },
    ])
  })

  it('has only the requested table, by its id at one of the moments or its ref', async () => {
    const { rest } = system.alice
    await patch([{ id: 1, fields: { Age: 30 } }])
    await addTable(rest, doc, 'Toys', { What: 'Text' })
    await rest.post(`${doc}/apply`, { body: [['RenameTable', 'Pets', 'Animals']] })
    for (const tableId of ['Pets', 'Animals', '2']) {
      const { body } = await compare({ from: 3, tableId })
      expect(body.operations.map(({ action }) => action)).toEqual(['updateTable', 'updateRows'])
    }
  })

  it.each<[Record<string, unknown>, number, string, string | undefined]>([
    [{}, 400, 'INVALID_PARAMETER', 'from'],
    [{ from: 'x' }, 400, 'INVALID_PARAMETER', 'from'],
    [{ from: 0 }, 400, 'INVALID_PARAMETER', 'from'],
    [{ from: '2026-03-01' }, 400, 'INVALID_PARAMETER', 'from'],
    [{ from: 1, to: '' }, 400, 'INVALID_PARAMETER', 'to'],
    [{ from: 99 }, 400, 'MOMENT_NOT_FOUND', 'from'],
    [{ from: 1, to: 99 }, 400, 'MOMENT_NOT_FOUND', 'to'],
    [{ from: '2020-01-01T00:00:00Z' }, 400, 'MOMENT_NOT_FOUND', 'from'],
    [{ from: 1, limit: 0 }, 400, 'INVALID_PARAMETER', 'limit'],
    [{ from: 1, limit: 10_001 }, 400, 'INVALID_PARAMETER', 'limit'],
    [{ from: 1, cursor: 'x' }, 400, 'INVALID_CURSOR', undefined],
    [{ from: 1, cursor: 'x', summary: true }, 400, 'INVALID_PARAMETER', 'cursor'],
    [{ from: 1, tableId: 'Nope' }, 404, 'TABLE_NOT_FOUND', undefined],
  ])('is refused for %j', async (query, status, reason, parameter) => {
    const { status: got, body } = await compare(query)
    expect([got, body.details?.reason, body.details?.parameter]).toEqual([
      status,
      reason,
      parameter,
    ])
    if (parameter) expect(body.error).toContain(parameter)
  })

  it('is printed by the command, as the changes are', async () => {
    await patch([{ id: 1, fields: { Name: 'Max' } }])
    const { key, email } = await system.sheaf.createUser(emailOf('eve'), 'Eve')
    const body = { delta: { users: { [email]: 'editors' } } }
    await system.alice.rest.patch(`${doc}/access`, { body })
    const target = [doc.split('/').at(-1) ?? '', '--url', system.sheaf.url, '--key', key]
    const compared = await system.sheaf.operate('documents', 'compare', ...target, '--from', '3')
    expect(compared).toBe('~ Pets 1: Name "Rex" → "Max"\n')
    const changes = await system.sheaf.operate('documents', 'log', ...target, '--limit', '1')
    expect(changes).toMatch(/^4 {2}\S+Z {2}\S+@\S+ {2}api {2}Pets: changed 1 row\n$/)
  })

  it('requires an editor', async () => {
    const { email, rest } = system.dan
    const body = { delta: { users: { [email]: 'viewers' } } }
    await system.alice.rest.patch(`${doc}/access`, { body })
    expect((await compare({ from: 1 }, rest)).status).toBe(403)
  })
})
