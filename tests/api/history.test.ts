import { createRest, type Rest } from '@sheaf/testkit/rest'
import {
  addRecords,
  addTable,
  emailOf,
  newDocument,
  readRecords,
  useSystem,
} from '../support/system'

const system = useSystem()
let doc = ''

interface Operation {
  action: string
  tableId: string
  rowIds?: number[]
  columns?: Record<string, { old?: unknown[]; new?: unknown[] }>
}
interface Change {
  seq: number
  time: string
  userId: number | null
  user: { id: number; name: string | null; email: string | null } | null
  cause: string
  operations: Operation[]
}
interface Page {
  changes: Change[]
  next: number | null
  details?: { reason: string; parameter?: string }
}

const share = (email: string, role: string) =>
  system.alice.rest.patch(`${doc}/access`, { body: { delta: { users: { [email]: role } } } })
const history = (query: object = {}, rest: Rest = system.alice.rest) =>
  rest.get<Page>(`${doc}/history`, { query: query as Record<string, unknown> })
const revert = (seq: number | string, rest: Rest = system.alice.rest, headers = {}) =>
  rest.post<{ seq: number; error?: string; details?: Record<string, unknown> }>(
    `${doc}/changes/${seq}/revert`,
    { headers },
  )
const patch = (fields: object, id = 1, rest: Rest = system.alice.rest) =>
  rest.patch(`${doc}/tables/Pets/records`, { body: { records: [{ id, fields }] } })

beforeEach(async () => {
  const { rest } = system.alice
  doc = await newDocument(rest)
  await addTable(rest, doc, 'Pets', { Name: 'Text', Age: 'Int' })
  await addRecords(rest, `${doc}/tables/Pets`, [{ Name: 'Rex', Age: 3 }])
})

describe('the history of a document', () => {
  it('tells who changed what and when, newest first', async () => {
    const { id, email } = system.dan
    await share(email, 'editors')
    await patch({ Age: 4 }, 1, system.dan.rest)
    const { status, body } = await history()
    expect([status, body.next]).toEqual([200, null])
    expect(body.changes.map(({ seq }) => seq)).toEqual([4, 3, 2, 1])
    expect(body.changes[0]).toEqual({
      seq: 4,
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string,
      userId: id,
      keyId: expect.any(Number) as number,
      user: { id, name: 'Dan', email },
      cause: 'api',
      operations: [
        {
          action: 'updateRows',
          tableId: 'Pets',
          tableRef: 2,
          rowIds: [1],
          columns: { Age: { colRef: expect.any(Number) as number, old: [3], new: [4] } },
        },
      ],
    })
    expect(body.changes[1]?.user?.id).toBe(system.alice.id)
  })

  it('forgets the name of who has no account any more', async () => {
    const { rest, sheaf } = { ...system, ...system.alice }
    const eve = await sheaf.createUser(emailOf('eve'), 'Eve')
    await share(eve.email, 'editors')
    const eves = createRest(sheaf.url, eve.key)
    await patch({ Age: 5 }, 1, eves)
    expect((await history()).body.changes[0]?.user?.name).toBe('Eve')
    expect((await eves.delete(`/api/users/${eve.id}`, { body: { name: 'Eve' } })).status).toBe(200)
    const [last] = (await history({}, rest)).body.changes
    expect(last?.user).toEqual({ id: eve.id, name: null, email: null })
  })

  it('is read by table and row, page by page', async () => {
    const { rest } = system.alice
    await addRecords(rest, `${doc}/tables/Pets`, [{ Name: 'Tom' }])
    await patch({ Age: 1 }, 2)
    const seqs = async (query: object) => (await history(query)).body.changes.map(({ seq }) => seq)
    expect(await seqs({ tableId: 'Pets', rowId: 1 })).toEqual([3])
    expect(await seqs({ tableId: '2', rowId: 2 })).toEqual([5, 4])
    expect(await seqs({ tableId: 'Table1' })).toEqual([1])
    const first = (await history({ limit: 2 })).body
    expect([first.changes.length, first.next]).toEqual([2, 4])
    expect(await seqs({ before: first.next })).toEqual([3, 2, 1])
  })

  it.each<[Record<string, unknown>, number, string]>([
    [{ limit: 0 }, 400, 'INVALID_PARAMETER'],
    [{ limit: 101 }, 400, 'INVALID_PARAMETER'],
    [{ before: -1 }, 400, 'INVALID_PARAMETER'],
    [{ before: 0 }, 400, 'INVALID_PARAMETER'],
    [{ rowId: 0, tableId: 'Pets' }, 400, 'INVALID_PARAMETER'],
    [{ rowId: 'x', tableId: 'Pets' }, 400, 'INVALID_PARAMETER'],
    [{ rowId: 1 }, 400, 'INVALID_PARAMETER'],
    [{ tableId: 'Nope' }, 404, 'TABLE_NOT_FOUND'],
    [{ tableId: 'no table' }, 400, 'INVALID_IDENTIFIER'],
  ])('is refused for %j', async (query, status, reason) => {
    const reply = await history(query)
    expect([reply.status, reply.body.details?.reason]).toEqual([status, reason])
  })
})

describe('undoing a change', () => {
  it('is a change of its own, which can be undone', async () => {
    await patch({ Age: 4 })
    const undone = await revert(4)
    expect([undone.status, undone.body]).toEqual([200, { seq: 5 }])
    expect(undone.headers.get('etag')).toMatch(/^W\/"[\w-]+\.5"$/)
    const age = async () =>
      (await readRecords(system.alice.rest, `${doc}/tables/Pets`))[0]?.fields.Age
    expect(await age()).toBe(3)
    expect((await history({ limit: 1 })).body.changes[0]?.cause).toBe('undo')
    expect((await revert(5)).body).toEqual({ seq: 6 })
    expect(await age()).toBe(4)
  })

  it('names what has changed since with 409, and changes nothing', async () => {
    await patch({ Age: 4 })
    await patch({ Age: 5 })
    const { status, body } = await revert(4)
    expect(status).toBe(409)
    expect(body.error).toContain('row 1 of table "Pets"')
    expect(body.details).toEqual({
      reason: 'CHANGED_SINCE',
      conflicts: [{ tableId: 'Pets', rowIds: [1], rowCount: 1 }],
    })
    expect((await history({ limit: 1 })).body.changes[0]?.seq).toBe(5)
  })

  it('of a removed column that was undone and renamed is a conflict, not an internal error', async () => {
    const { rest } = system.alice
    const columns = `${doc}/tables/Pets/columns`
    await rest.delete(`${columns}/Age`)
    expect((await revert(4)).body).toEqual({ seq: 5 })
    const renamed = [{ id: 'Age', fields: { colId: 'Years', label: 'Years' } }]
    expect((await rest.patch(columns, { body: { columns: renamed } })).status).toBe(200)
    const { status, body } = await revert(4)
    expect([status, body.details]).toEqual([
      409,
      { reason: 'CHANGED_SINCE', conflicts: [{ tableId: 'Pets', colId: 'Years' }] },
    ])
  })

  it('keeps to If-Match, and happens once with an Idempotency-Key', async () => {
    await patch({ Age: 4 })
    const tagged = await revert(4, system.alice.rest, { 'if-match': '"other.4"' })
    expect([tagged.status, tagged.body.details?.reason]).toEqual([412, 'DOCUMENT_CHANGED'])
    const once = { 'idempotency-key': 'undo-4' }
    expect((await revert(4, system.alice.rest, once)).body).toEqual({ seq: 5 })
    expect((await revert(4, system.alice.rest, once)).body).toEqual({ seq: 5 })
    expect((await history({ limit: 1 })).body.changes[0]?.seq).toBe(5)
  })

  it('is answered for what is not there, or cannot be undone', async () => {
    const answer = async (seq: number | string) => {
      const { status, body } = await revert(seq)
      return [status, body.details?.reason]
    }
    expect(await answer(9)).toEqual([404, 'CHANGE_NOT_FOUND'])
    expect(await answer(1)).toEqual([400, 'NOT_REVERTIBLE'])
    for (const seq of [0, -1, 'x', '1e3', '01'])
      expect(await answer(seq)).toEqual([400, 'INVALID_PARAMETER'])
  })

  it('is for those who may edit, with a key that may write', async () => {
    const { rest, sheaf } = { ...system, ...system.alice }
    await patch({ Age: 4 })
    await share(system.dan.email, 'viewers')
    expect((await revert(4, system.dan.rest)).status).toBe(403)
    expect((await history({}, system.dan.rest)).status).toBe(403)
    const body = { name: 'reads', scope: { readOnly: true } }
    const { key } = (await rest.post<{ key: string }>('/api/profile/apikeys', { body })).body
    expect((await revert(4, createRest(sheaf.url, key))).status).toBe(403)
  })
})
