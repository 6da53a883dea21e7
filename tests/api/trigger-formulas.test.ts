import { eventually } from '@sheaf/testkit/eventually'
import { createRest } from '@sheaf/testkit/rest'
import {
  addRecords,
  addTable,
  emailOf,
  newDocument,
  readRecords,
  useSystem,
} from '../support/system'

const system = useSystem()

interface Columns {
  columns: { id: string; fields: { colRef: number; recalcDeps: unknown; recalcWhen: number } }[]
}

/** A table with data in A and B, and trigger columns. Returns paths of the document and the table. */
async function newTriggers(): Promise<{ doc: string; table: string }> {
  const { rest } = system.alice
  const doc = await newDocument(rest)
  await addTable(rest, doc, 'T', { A: 'Int', B: 'Text' })
  const table = `${doc}/tables/T`
  const { body } = await rest.get<Columns>(`${table}/columns`)
  const ref = body.columns[0]?.fields.colRef
  const columns = [
    // JSON text, as Grist takes it in new columns, and a list as in changed ones.
    { id: 'OnA', fields: { type: 'Int', formula: '$A * 2', recalcDeps: `[${ref}]` } },
    { id: 'OnA2', fields: { type: 'Int', formula: '$OnA + 1', recalcDeps: ['L', ref] } },
    { id: 'Count', fields: { type: 'Int', formula: 'value + 1', recalcWhen: 2 } },
    {
      id: 'Who',
      fields: { type: 'Text', formula: 'f"{user.Email} {user.Access}"', recalcWhen: 2 },
    },
  ].map(({ id, fields }) => ({ id, fields: { ...fields, isFormula: false } }))
  expect((await rest.post(`${table}/columns`, { body: { columns } })).status).toBe(200)
  return { doc, table }
}

const valuesOf = async (table: string) =>
  (await readRecords(system.alice.rest, table)).map(({ fields: { OnA, OnA2, Count } }) => [
    OnA,
    OnA2,
    Count,
  ])

describe('trigger formulas', () => {
  it('run in every way of writing', async () => {
    const { rest } = system.alice
    const { doc, table } = await newTriggers()
    await addRecords(rest, table, [{ A: 1 }])
    await rest.post(`${table}/data`, { body: { A: [2] } })
    await rest.put(`${table}/records`, {
      body: { records: [{ require: { A: 3 }, fields: { B: 'x' } }] },
    })
    await rest.post(`${doc}/apply`, { body: [['AddRecord', 'T', null, { A: 4 }]] })
    const added = [1, 2, 3, 4].map((A) => [A * 2, A * 2 + 1, 1])
    expect(await valuesOf(table)).toEqual(added)
    await rest.patch(`${table}/records`, { body: { records: [{ id: 1, fields: { A: 11 } }] } })
    await rest.patch(`${table}/data`, { body: { id: [2], A: [12] } })
    await rest.put(`${table}/records`, {
      body: { records: [{ require: { A: 3 }, fields: { A: 13 } }] },
    })
    await rest.post(`${doc}/apply`, { body: [['UpdateRecord', 'T', 4, { A: 14 }]] })
    expect(await valuesOf(table)).toEqual([11, 12, 13, 14].map((A) => [A * 2, A * 2 + 1, 2]))
  })

  it('know who writes', async () => {
    const { rest, email } = system.alice
    const { doc, table } = await newTriggers()
    await addRecords(rest, table, [{ A: 1 }, { A: 2 }])
    const editor = await system.sheaf.createUser(emailOf('editor'), 'Editor')
    const delta = { users: { [editor.email]: 'editors' } }
    await rest.patch(`${doc}/access`, { body: { delta } })
    await createRest(system.sheaf.url, editor.key).patch(`${table}/records`, {
      body: { records: [{ id: 2, fields: { A: 5 } }] },
    })
    expect((await readRecords(rest, table)).map(({ fields }) => fields.Who)).toEqual([
      `${email} owners`,
      `${editor.email} editors`,
    ])
  })

  it('belong to the entry of their write: its change, its tag, its undo, its one time with a key', async () => {
    const { rest } = system.alice
    const { doc, table } = await newTriggers()
    await addRecords(rest, table, [{ A: 1 }])
    const { headers } = await rest.get(`${table}/records`)
    const body = { records: [{ id: 1, fields: { A: 5 }, expect: { OnA: 2 } }] }
    const write = () =>
      rest.patch(`${table}/records`, { body, headers: { 'Idempotency-Key': 'once' } })
    const [first, second] = [await write(), await write()]
    expect([first.status, second.status]).toEqual([200, 200])
    expect(second.headers.get('etag')).toBe(first.headers.get('etag'))
    const seq = Number(/\.(\d+)"/.exec(first.headers.get('etag') ?? '')?.[1])
    expect(await valuesOf(table)).toEqual([[10, 11, 2]])
    const changes = await rest.get<{ changes: { operations: { columns: object }[] }[] }>(
      `${doc}/changes`,
      { query: { since: String(seq - 1) } },
    )
    const changed = changes.body.changes.flatMap(({ operations }) =>
      operations.flatMap(({ columns }) => Object.keys(columns)),
    )
    expect(changed.sort()).toEqual(['A', 'Count', 'OnA', 'OnA2'])
    const stale = { 'If-Match': headers.get('etag') ?? '' }
    const refused = await rest.patch(`${table}/records`, { body, headers: stale })
    expect(refused.status).toBe(412)
    expect((await rest.post(`${doc}/changes/${seq}/revert`)).status).toBe(200)
    expect(await valuesOf(table)).toEqual([[2, 3, 1]])
  })

  it.each([
    [{ recalcWhen: 3 }, 'recalcWhen'],
    [{ recalcDeps: 'A' }, 'recalcDeps'],
    [{ recalcDeps: ['L', 'A'] }, 'recalcDeps'],
    [{ recalcDeps: '{"a":1}' }, 'recalcDeps'],
  ])('are refused with %j', async (wrong, field) => {
    const { rest } = system.alice
    const { table } = await newTriggers()
    const fields = { type: 'Int', isFormula: false, formula: '1', ...wrong }
    const asked = await rest.post<{ error: string }>(`${table}/columns`, {
      body: { columns: [{ id: 'Wrong', fields }] },
    })
    expect([asked.status, asked.body.error]).toEqual([400, expect.stringContaining(field)])
  })

  it('that are stopped keep their cells due, and run for them as their author once they are recalculated', async () => {
    const { rest } = system.alice
    const doc = await newDocument(rest)
    await addTable(rest, doc, 'T', { A: 'Int' })
    const table = `${doc}/tables/T`
    const formula = 'while $A == 13: pass\nreturn f"{value}{$A} {user.Email}"'
    const fields = { type: 'Text', isFormula: false, formula }
    await rest.post(`${table}/columns`, { body: { columns: [{ id: 'Stamp', fields }] } })
    const stamps = async () => (await readRecords(rest, table)).map((row) => row.fields.Stamp)
    const timing = async () =>
      (await rest.get<{ columns: object[] }>(`${doc}/timing`)).body.columns[0]
    await addRecords(rest, table, [{ A: 13 }])
    await addRecords(rest, table, [{ A: 2 }])
    await rest.patch(`${table}/records`, { body: { records: [{ id: 1, fields: { A: 1 } }] } })
    expect(await stamps()).toEqual(['', ''])
    expect(await timing()).toMatchObject({ stopped: 'time', dueCells: 2, missedCells: 0 })
    await rest.post(`${doc}/formulas/recalculate?tableId=T&colId=Stamp`)
    await eventually(async () => (await stamps())[1] !== '')
    expect(await stamps()).toEqual([1, 2].map((A) => `${A} ${emailOf('alice')}`))
    expect(await timing()).toMatchObject({ stopped: null, dueCells: 0 })
    const { body } = await rest.get<{ changes: object[] }>(`${doc}/history?limit=1`)
    expect(body.changes[0]).toMatchObject({ user: null, cause: 'formula' })
  })
})
