import { eventually } from '@sheaf/testkit/eventually'
import { gristFile } from '@sheaf/testkit/grist-file'
import { gristStore, hashOf, storeFiles } from '../support/grist-store'
import { homeWorkspace, useOwnSystem, type RestRecord } from '../support/system'

interface Timing {
  readonly columns: readonly { readonly cells: number; readonly pendingRows: number }[]
}

const system = useOwnSystem()
const records = async (doc: string, table: string) =>
  (await system.alice.rest.get<{ records: RestRecord[] }>(`${doc}/tables/${table}/records`)).body
    .records

describe('a Grist document that is imported', () => {
  it('has its cells, the results of its formulas and its files, and the same results after a recalculation', async () => {
    const { rest } = system.alice
    const form = new FormData()
    form.set('upload', new Blob([new Uint8Array(gristFile(gristStore))]), 'Store.grist')
    const workspace = await homeWorkspace(rest)
    const imported = await rest.post<{
      id: string
      title: string
      tables: { id: string; rows: number }[]
    }>(`/api/workspaces/${workspace}/import`, { body: form })
    expect(imported).toMatchObject({ status: 200, body: { title: 'Store' } })
    expect(imported.body.tables).toEqual([
      { id: 'Cats', rows: 2 },
      { id: 'Items', rows: 3 },
      { id: 'Grand', rows: 1 },
    ])
    const doc = `/api/docs/${imported.body.id}`

    const expected = Object.fromEntries(
      gristStore.tables.map(({ id: table, columns, rows }) => [
        table,
        rows.map(([id, ...cells]) => ({
          id,
          fields: Object.fromEntries(columns.map((column, i) => [column.id, cells[i]])),
        })),
      ]),
    )
    const read = async () => ({
      Cats: await records(doc, 'Cats'),
      Items: await records(doc, 'Items'),
      Grand: await records(doc, 'Grand'),
    })
    expect(await read()).toEqual(expected)
    const timing = async () => (await rest.get<Timing>(`${doc}/timing`)).body.columns
    expect((await timing()).every(({ cells, pendingRows }) => cells + pendingRows === 0)).toBe(true)

    for (const [index, [name, bytes]] of Object.entries(storeFiles).entries()) {
      const { headers, raw } = await rest.get(`${doc}/attachments/${index + 1}/download`)
      expect(headers.get('content-disposition')).toBe(`attachment; filename=${name}`)
      expect(hashOf(raw)).toBe(hashOf(bytes))
    }

    await rest.post(`${doc}/formulas/recalculate`)
    await eventually(async () =>
      (await timing()).every(({ cells, pendingRows }) => cells > 0 && pendingRows === 0),
    )
    expect(await read()).toEqual(expected)

    const body = { records: [{ id: 1, fields: { qty: 10 } }] }
    await rest.patch(`${doc}/tables/Items/records`, { body })
    expect((await records(doc, 'Grand'))[0]?.fields).toMatchObject({ best: 'Fruit' })
    expect((await records(doc, 'Items'))[0]?.fields).toMatchObject({
      label: 'Fruit x10',
      share: 0.9375,
      taxed: 16.5,
    })
  })
})
