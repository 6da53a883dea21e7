import { eventually } from '@sheaf/testkit/eventually'
import { addRecords, addTable, newDocument, readRecords, useSystem } from '../support/system'

const system = useSystem()

interface Timing {
  columns: { colId: string; cells: number; errors: number; pendingRows: number; stopped: unknown }[]
}

async function newTable(formula: string): Promise<{ doc: string; table: string }> {
  const { rest } = system.alice
  const doc = await newDocument(rest)
  await addTable(rest, doc, 'T', { A: 'Int' })
  const table = `${doc}/tables/T`
  await addRecords(rest, table, [{ A: 1 }, { A: 0 }])
  const column = { id: 'F', fields: { type: 'Any', isFormula: true, formula } }
  expect((await rest.post(`${table}/columns`, { body: { columns: [column] } })).status).toBe(200)
  return { doc, table }
}

describe('formulas', () => {
  it('have results and errors in the response to the next read, and in the list of their state', async () => {
    const { rest } = system.alice
    const { doc, table } = await newTable('10 / $A')
    expect(await readRecords(rest, table)).toEqual([
      { id: 1, fields: { A: 1, F: 10 } },
      { id: 2, fields: { A: 0, F: null }, errors: { F: 'ZeroDivisionError' } },
    ])
    await rest.patch(`${table}/records`, { body: { records: [{ id: 2, fields: { A: 5 } }] } })
    expect((await readRecords(rest, table))[1]?.fields).toEqual({ A: 5, F: 2 })
    const { body } = await rest.get<Timing>(`${doc}/timing`)
    expect(body.columns).toMatchObject([
      { colId: 'F', cells: 3, errors: 1, pendingRows: 0, stopped: null },
    ])
  })

  it('are computed again on request', async () => {
    const { rest } = system.alice
    const { doc } = await newTable('$A + 1')
    const query = { tableId: 'T', colId: 'F' }
    const asked = await rest.post(`${doc}/formulas/recalculate`, { query })
    expect([asked.status, asked.body]).toEqual([200, { columns: 1 }])
    await eventually(async () => {
      const { body } = await rest.get<Timing>(`${doc}/timing`)
      return body.columns[0]?.cells === 4 && body.columns[0].pendingRows === 0
    })
  })

  it.each([
    [{ tableId: 'T', colId: 'A' }, 400, 'NO_FORMULA'],
    [{ tableId: 'T', colId: 'Z' }, 404, 'COLUMN_NOT_FOUND'],
    [{ tableId: 'U' }, 404, 'TABLE_NOT_FOUND'],
    [{ colId: 'F' }, 400, 'INVALID_PARAMETER'],
  ])('refuse to be computed again for %j', async (query, status, reason) => {
    const { rest } = system.alice
    const { doc } = await newTable('$A')
    const asked = await rest.post<{ details: { reason: string } }>(`${doc}/formulas/recalculate`, {
      query,
    })
    expect([asked.status, asked.body.details.reason]).toEqual([status, reason])
  })
})
