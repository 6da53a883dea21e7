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

  it('tell how they run, and which part of them needs Python', async () => {
    const { rest } = system.alice
    const { doc, table } = await newTable('$A * 2')
    const columns = [
      { id: 'G', fields: { isFormula: true, formula: '[x for x in range(2)][1] * $F' } },
    ]
    await rest.post(`${table}/columns`, { body: { columns } })
    const { body } = await rest.get<Timing>(`${doc}/timing`)
    expect(body.columns).toMatchObject([
      { colId: 'F', engine: 'compiled', pythonReason: null, cells: 2, compiledCells: 2 },
      {
        colId: 'G',
        engine: 'python',
        pythonReason: 'the function range',
        cells: 2,
        compiledCells: 0,
      },
    ])
  })

  it('are found by dates, lists and errors, in filters and as requirements', async () => {
    const { rest } = system.alice
    const { table } = await newTable('[DATE(2024, 1, 1), [1, "x"]][$A] if $A < 2 else 1 / 0')
    await addRecords(rest, table, [{ A: 2 }])
    const found = async (cell: unknown) => {
      const query = { filter: JSON.stringify({ F: [cell] }) }
      const { body } = await rest.get<{ records: { id: number }[] }>(`${table}/records`, { query })
      return body.records.map(({ id }) => id)
    }
    expect(await found(['d', 1_704_067_200])).toEqual([2])
    expect(await found(['L', 1, 'x'])).toEqual([1])
    expect(await found(['E', 'ZeroDivisionError'])).toEqual([3])
    expect(await found(['E', 'ZeroDivision'])).toEqual([])
    const step = { require: { F: ['L', 1, 'x'] }, fields: { A: 0 } }
    const { body } = await rest.put(`${table}/records`, { body: { records: [step] } })
    expect(body).toMatchObject({ updateRecordIds: [[1]] })
    expect(await found(['d', 1_704_067_200])).toEqual([1, 2])
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

  it('are checked without being stored', async () => {
    const { rest } = system.alice
    const { doc, table } = await newTable('$A + 1')
    // Names the latest change of the document.
    const readTag = async () => (await rest.get(`${doc}/tables`)).headers.get('etag')
    const before = await readTag()
    expect(before).toMatch(/[.]\d+"$/)
    const body = {
      tableId: 'T',
      colId: 'F',
      type: 'Date',
      formula: 'x = DATE(2024, 1, 1)\nx / $AA + SUUM(1)',
      rowIds: [2],
    }
    const broken = await rest.post(`${doc}/formulas/check`, { body })
    const unknown = [
      { kind: 'column', name: 'AA', tableId: 'T', line: 2, column: 6, suggestion: null },
      { kind: 'name', name: 'SUUM', tableId: null, line: 2, column: 11, suggestion: 'SUM' },
    ]
    const error = { name: 'AttributeError', message: "Table 'T' has no column 'AA'", line: 2 }
    expect([broken.status, broken.body]).toEqual([
      200,
      {
        syntaxErrors: [],
        unknownNames: unknown,
        rows: [{ id: 2, value: null, typed: ['E', 'AttributeError'], error }],
        stopped: null,
        engine: 'python',
        pythonReason: 'the attribute AA',
      },
    ])
    const formula = 'DATE(2024, 1, 1 + $A)'
    const mended = await rest.post(`${doc}/formulas/check`, { body: { ...body, formula } })
    expect(mended.body).toMatchObject({
      rows: [{ id: 2, value: 1704067200, typed: ['d', 1704067200], error: null }],
      engine: 'compiled',
      pythonReason: null,
    })
    expect((await readRecords(rest, table)).map(({ fields }) => fields.F)).toEqual([2, 1])
    expect(await readTag()).toBe(before)
  })

  it('refuse to be checked with names, types, texts and rows that do not exist', async () => {
    const { rest } = system.alice
    const { doc } = await newTable('$A')
    for (const [wrong, status, reason] of [
      [{ tableId: 'U' }, 404, 'TABLE_NOT_FOUND'],
      [{ colId: 'Z' }, 404, 'COLUMN_NOT_FOUND'],
      [{ type: 'Nope' }, 400, 'UNKNOWN_COLUMN_TYPE'],
      [{ formula: '' }, 400, 'BAD_FIELD'],
      [{ formula: 1 }, 400, 'INVALID_PAYLOAD'],
      [{ rowIds: [] }, 400, 'INVALID_PAYLOAD'],
      [{ rowIds: [9] }, 400, 'INVALID_ROW_ID'],
      [{ rowIds: Array.from({ length: 21 }, (_, i) => i + 1) }, 400, 'INVALID_PAYLOAD'],
    ] as const) {
      const body: object = { ...{ tableId: 'T', formula: '$A' }, ...wrong }
      const { status: found, body: error } = await rest.post<{ details: { reason: string } }>(
        `${doc}/formulas/check`,
        { body },
      )
      expect([wrong, found, error.details.reason]).toEqual([wrong, status, reason])
    }
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
