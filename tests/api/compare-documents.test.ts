import type { Rest } from '@sheaf/testkit/rest'
import { addRecords, addTable, homeWorkspace, newDocument, useSystem } from '../support/system'

const system = useSystem()
let doc = ''

type Cell = [before: [unknown] | null, after: [unknown] | null]
type Rename = [before: string | null, after: string | null]

interface Changes {
  tableRenames: Rename[]
  tableDeltas: Record<
    string,
    {
      updateRows: number[]
      removeRows: number[]
      addRows: number[]
      columnDeltas: Record<string, Record<string, Cell>>
      columnRenames: Rename[]
    }
  >
}
interface Comparison {
  left: { n: number; h: string }
  right: { n: number; h: string }
  parent: { n: number; h: string } | null
  summary: string
  details?: { leftChanges: Changes; rightChanges: Changes }
  error?: string
}

const NOTHING = { tableRenames: [], tableDeltas: {} }

const copy = async (
  from: string,
  more: { query?: Record<string, unknown>; asTemplate?: boolean } = {},
) => {
  const { rest } = system.alice
  const { query, ...form } = more
  const body = { workspaceId: await homeWorkspace(rest), ...form }
  const { status, body: id } = await rest.post<string>(`${from}/copy`, { body, query })
  expect(status).toBe(200)
  return id
}
/** The path of a document that is given by its path or its id. */
const pathOf = (document: string) => (document.startsWith('/') ? document : `/api/docs/${document}`)
const compare = (
  left: string,
  right: string,
  query: Record<string, unknown> = {},
  rest: Rest = system.alice.rest,
) => rest.get<Comparison>(`${pathOf(left)}/compare/${right}`, { query })
const patch = (path: string, records: object[]) =>
  system.alice.rest.patch(`${path}/tables/Pets/records`, { body: { records } })

beforeEach(async () => {
  const { rest } = system.alice
  doc = await newDocument(rest)
  await addTable(rest, doc, 'Pets', { Name: 'Text', Age: 'Int' })
  await addRecords(rest, `${doc}/tables/Pets`, [
    { Name: 'Rex', Age: 3 },
    { Name: 'Tom', Age: 4 },
  ])
})

describe('the comparison of two documents', () => {
  it('tells which of a document and its copy has changed since the copy was made', async () => {
    const id = await copy(doc)
    const twin = `/api/docs/${id}`
    const same = await compare(doc, id)
    expect([same.status, same.body.summary]).toEqual([200, 'same'])
    expect(same.body.parent).toEqual(same.body.left)
    expect(same.body).not.toHaveProperty('details')
    await patch(twin, [{ id: 1, fields: { Age: 30 } }])
    expect((await compare(doc, id)).body.summary).toBe('right')
    expect((await compare(id, doc.slice('/api/docs/'.length))).body.summary).toBe('left')
    await patch(doc, [{ id: 2, fields: { Age: 40 } }])
    expect((await compare(doc, id)).body.summary).toBe('both')
  })

  it('names states by the tags of the documents', async () => {
    const id = await copy(doc)
    const { headers } = await system.alice.rest.get(`${doc}/tables/Pets/records`)
    const { left, right } = (await compare(doc, id)).body
    expect(headers.get('etag')).toBe(`W/"${left.h}"`)
    expect([left.h.endsWith(`.${left.n}`), right.n]).toEqual([true, 1])
  })

  it('lists with detail=true what has changed in each of them, in the form of the Grist API', async () => {
    const { rest } = system.alice
    const id = await copy(doc)
    const twin = `/api/docs/${id}`
    await patch(twin, [{ id: 2, fields: { Age: 40 } }])
    await rest.post(`${twin}/tables/Pets/data/delete`, { body: [1] })
    await addRecords(rest, `${twin}/tables/Pets`, [{ Name: 'Eve', Age: 6 }])
    await rest.patch(`${doc}/tables`, {
      body: { tables: [{ id: 'Pets', fields: { tableId: 'Animals' } }] },
    })
    await rest.patch(`${doc}/tables/Animals/columns`, {
      body: { columns: [{ id: 'Age', fields: { colId: 'Years' } }] },
    })
    await addTable(rest, doc, 'Toys', { What: 'Text' })
    await rest.post(`${doc}/apply`, { body: [['RemoveTable', 'Table1']] })
    const { body } = await compare(doc, id, { detail: true })
    const { leftChanges, rightChanges } = body.details ?? {}
    expect(leftChanges?.tableRenames).toEqual(
      expect.arrayContaining([
        ['Pets', 'Animals'],
        [null, 'Toys'],
        ['Table1', null],
      ]),
    )
    expect(leftChanges?.tableDeltas.Animals).toEqual({
      updateRows: [],
      removeRows: [],
      addRows: [],
      columnDeltas: {},
      columnRenames: [['Age', 'Years']],
    })
    expect(leftChanges?.tableDeltas.Toys?.columnRenames).toContainEqual([null, 'What'])
    expect(leftChanges?.tableDeltas['-Table1']?.columnRenames).toContainEqual(['A', null])
    expect(rightChanges?.tableRenames).toEqual([])
    expect(rightChanges?.tableDeltas.Pets).toMatchObject({
      updateRows: [2],
      removeRows: [1],
      addRows: [3],
      columnDeltas: {
        Age: { 1: [[3], null], 2: [[4], [40]], 3: [null, [6]] },
        Name: { 1: [['Rex'], null], 3: [null, ['Eve']] },
      },
      columnRenames: [],
    })
  })

  it('has nothing in its details for documents that have not changed', async () => {
    const { body } = await compare(doc, await copy(doc), { detail: 1 })
    expect(body.details).toEqual({ leftChanges: NOTHING, rightChanges: NOTHING })
  })

  it('lists the cells of ten rows of each kind, of maxRows, or of all, and all row ids', async () => {
    const { rest } = system.alice
    const id = await copy(doc)
    const ages = Array.from({ length: 12 }, (_, i) => ({ Age: i }))
    await addRecords(rest, `/api/docs/${id}/tables/Pets`, ages)
    const count = async (query: object) => {
      const { body } = await compare(doc, id, { detail: true, ...query })
      const table = body.details?.rightChanges.tableDeltas.Pets
      return [table?.addRows.length, Object.keys(table?.columnDeltas.Age ?? {}).length]
    }
    expect(await count({})).toEqual([12, 10])
    expect(await count({ maxRows: 3 })).toEqual([12, 3])
    expect(await count({ maxRows: 0 })).toEqual([12, 0])
    expect(await count({ maxRows: 'null' })).toEqual([12, 12])
  })

  it('finds what a document has in common with the copy of a former moment, and with a copy of a copy', async () => {
    await patch(doc, [{ id: 1, fields: { Age: 30 } }])
    const former = await copy(doc, { query: { asOf: 3 } })
    const { body } = await compare(doc, former, { detail: true })
    expect([body.summary, body.parent?.n]).toEqual(['left', 3])
    expect(body.details?.leftChanges.tableDeltas.Pets?.columnDeltas).toEqual({
      Age: { 1: [[3], [30]] },
    })
    const second = await copy(`/api/docs/${former}`)
    const again = await compare(doc, second, { detail: true })
    expect(again.body).toMatchObject({ summary: 'left', parent: body.parent })
    expect(again.body.details).toEqual(body.details)
    expect((await compare(former, second)).body.summary).toBe('same')
  })

  it('has no details where one document was copied after the state that both had', async () => {
    const early = await copy(doc)
    await patch(doc, [{ id: 1, fields: { Age: 30 } }])
    const late = await copy(doc)
    expect((await compare(early, late)).body.summary).toBe('right')
    const { status, body } = await compare(early, late, { detail: true })
    expect([status, body]).toMatchObject([
      400,
      { details: { reason: 'MOMENT_NOT_FOUND', parameter: 'detail' } },
    ])
  })

  it('finds what two copies of a document have in common after it was deleted', async () => {
    const [left, right] = [await copy(doc), await copy(doc)]
    expect((await system.alice.rest.delete(doc)).status).toBe(200)
    await patch(pathOf(left), [{ id: 1, fields: { Age: 30 } }])
    const { body } = await compare(left, right, { detail: true })
    expect(body.summary).toBe('left')
    expect(body.details?.leftChanges.tableDeltas.Pets?.updateRows).toEqual([1])
  })

  it('calls documents unrelated that were not copied from one another, templates, and imports', async () => {
    const { rest } = system.alice
    const other = await newDocument(rest)
    const template = await copy(doc, { asTemplate: true })
    const form = new FormData()
    form.set('upload', new Blob([(await rest.get(`${doc}/download`)).raw]), 'Pets.sqlite')
    const path = `/api/workspaces/${await homeWorkspace(rest)}/import`
    const imported = await rest.post<{ id: string }>(path, { body: form })
    expect(imported.status).toBe(200)
    for (const right of [other.slice('/api/docs/'.length), template, imported.body.id]) {
      const { body } = await compare(doc, right, { detail: true })
      expect(body).toMatchObject({ summary: 'unrelated', parent: null })
      expect(body).not.toHaveProperty('details')
    }
  })

  it('requires view access to both documents, and edit access for details', async () => {
    const { alice, dan } = system
    const id = await copy(doc)
    const twin = `/api/docs/${id}`
    const share = (path: string, role: string) =>
      alice.rest.patch(`${path}/access`, { body: { delta: { users: { [dan.email]: role } } } })
    await share(doc, 'viewers')
    expect((await compare(doc, id, {}, dan.rest)).status).toBe(403)
    await share(twin, 'viewers')
    expect((await compare(doc, id, {}, dan.rest)).body.summary).toBe('same')
    expect((await compare(doc, id, { detail: true }, dan.rest)).status).toBe(403)
    await share(twin, 'editors')
    expect((await compare(doc, id, { detail: true }, dan.rest)).status).toBe(403)
    await share(doc, 'editors')
    expect((await compare(doc, id, { detail: true }, dan.rest)).status).toBe(200)
    expect((await compare(doc, 'nothing', {}, dan.rest)).status).toBe(404)
  })

  it('refuses a maxRows that is no number, and a moment', async () => {
    const id = await copy(doc)
    for (const maxRows of ['-1', 'all', '1.5'])
      expect((await compare(doc, id, { maxRows })).status).toBe(400)
    expect((await compare(doc, id, { asOf: 1 })).status).toBe(400)
  })
})
