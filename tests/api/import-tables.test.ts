import { eventually } from '@sheaf/testkit/eventually'
import { newDocument, useOwnSystem } from '../support/system'

interface Imported {
  readonly tables: { readonly id: string; readonly rows: number }[]
  readonly seq: number
  readonly details?: { readonly reason: string; readonly field?: string }
}

const system = useOwnSystem()
let doc: string
beforeEach(async () => {
  doc = await newDocument(system.alice.rest, 'Target')
})

function send(
  content: string | Uint8Array,
  fields: Record<string, unknown> = {},
  name = 'Items.csv',
) {
  const form = new FormData()
  for (const [key, value] of Object.entries(fields)) form.set(key, JSON.stringify(value))
  form.set('upload', new Blob([content]), name)
  return system.alice.rest.post<Imported>(`${doc}/import`, { body: form })
}

const rowsOf = async (table: string) => {
  const { body } = await system.alice.rest.get<{ records: { fields: object }[] }>(
    `${doc}/tables/${table}/records`,
  )
  return body.records.map(({ fields }) => fields)
}

const tablesOf = async () => {
  const { body } = await system.alice.rest.get<{ tables: { id: string }[] }>(`${doc}/tables`)
  return body.tables.map(({ id }) => id)
}

const undo = (seq: number) => system.alice.rest.post(`${doc}/changes/${seq}/revert`, { body: {} })

/** A table with columns of several types and one row. */
async function makeStock(): Promise<void> {
  const columns = [
    { id: 'Item', fields: { type: 'Text', label: 'Item name' } },
    { id: 'Code', fields: { type: 'Text' } },
    { id: 'Price', fields: { type: 'Numeric' } },
    { id: 'Since', fields: { type: 'Date' } },
    { id: 'Double', fields: { type: 'Numeric', isFormula: true, formula: '$Price * 2' } },
  ]
  await system.alice.rest.post(`${doc}/tables`, { body: { tables: [{ id: 'Stock', columns }] } })
  const records = [{ fields: { Item: 'Plums', Code: '1', Price: 1 } }]
  await system.alice.rest.post(`${doc}/tables/Stock/records`, { body: { records } })
}

describe('an import into a document', () => {
  it('adds tables with free names as one change, which can be undone', async () => {
    const content = 'a,b\n1,x\n2,y\n'
    expect((await send(content)).body.tables).toEqual([{ id: 'Items', rows: 2 }])
    const before = await tablesOf()
    const { status, body } = await send(content)
    expect(status).toBe(200)
    expect(body.tables).toEqual([{ id: 'Items2', rows: 2 }])
    expect(await rowsOf('Items2')).toEqual(await rowsOf('Items'))
    expect((await undo(body.seq)).status).toBe(200)
    expect(await tablesOf()).toEqual(before)
  })

  it('keeps references between the tables of a file whose names are taken', async () => {
    const json = JSON.stringify({ People: [{ Name: 'Ada' }], Pets: [{ Name: 'Rex', Age: 3 }] })
    await send(json, {}, 'x.json')
    const { body } = await send(json, {}, 'x.json')
    expect(body.tables).toEqual([
      { id: 'People2', rows: 1 },
      { id: 'Pets2', rows: 1 },
    ])
    expect(await rowsOf('Pets2')).toEqual([{ Name: 'Rex', Age: 3 }])
  })

  it('appends rows to the columns with the same ids or labels, converted as by other writes', async () => {
    await makeStock()
    const content = 'item NAME;Price;since;Code\nApples;1.234,50;31.01.2024;007\nPears;0,75;;1.50\n'
    const { status, body } = await send(content, { target: { table: 'Stock' } })
    expect(body.tables).toEqual([{ id: 'Stock', rows: 2 }])
    expect(status).toBe(200)
    const day = Date.UTC(2024, 0, 31) / 1000
    await eventually(async () => {
      const rows = await rowsOf('Stock')
      expect(rows.slice(1)).toEqual([
        { Item: 'Apples', Code: '007', Price: 1234.5, Since: day, Double: 2469 },
        { Item: 'Pears', Code: '1.50', Price: 0.75, Since: null, Double: 1.5 },
      ])
      return true
    })
    expect((await undo(body.seq)).status).toBe(200)
    expect(await rowsOf('Stock')).toHaveLength(1)
  })

  it('appends to other columns by a mapping, and leaves out, adds or refuses unknown ones', async () => {
    await makeStock()
    const content = 'Product,Colour\nApples,red\n'
    const columns = { Product: 'Item' }
    const refused = await send(content, { target: { table: 'Stock', columns } })
    expect(refused).toMatchObject({
      status: 400,
      body: { details: { reason: 'BAD_FIELD', field: 'target.columns' } },
    })
    expect(await rowsOf('Stock')).toHaveLength(1)
    await send(content, { target: { table: 'Stock', columns, unknownColumns: 'ignore' } })
    await send(content, { target: { table: 'Stock', columns: { ...columns, Colour: null } } })
    await send(content, { target: { table: 'Stock', columns, unknownColumns: 'add' } })
    expect(await rowsOf('Stock')).toMatchObject([
      { Item: 'Plums' },
      { Item: 'Apples' },
      { Item: 'Apples' },
      { Item: 'Apples', Colour: 'red' },
    ])
  })

  it.each<[string, Record<string, unknown>, number, string]>([
    ['an unknown table', { target: { table: 'X' } }, 404, 'TABLE_NOT_FOUND'],
    ['no table', { target: {} }, 400, 'BAD_FIELD'],
    ['an unknown column', { target: { table: 'Stock', columns: { a: 'X' } } }, 400, 'BAD_FIELD'],
    [
      'a formula column',
      { target: { table: 'Stock', columns: { a: 'Double' } } },
      400,
      'BAD_FIELD',
    ],
    [
      'no such column of the file',
      { target: { table: 'Stock', columns: { x: 'Item' } } },
      400,
      'BAD_FIELD',
    ],
    ['no such table of the file', { target: { table: 'Stock', source: 'X' } }, 400, 'BAD_FIELD'],
    ['a bad choice', { target: { table: 'Stock', unknownColumns: 'x' } }, 400, 'BAD_FIELD'],
  ])('refuses %s and changes nothing', async (_, fields, status, reason) => {
    await makeStock()
    const reply = await send('a\n1\n', fields)
    expect(reply).toMatchObject({ status, body: { details: { reason } } })
    expect(await rowsOf('Stock')).toHaveLength(1)
  })

  it.each<[string, string, string | Blob]>([
    ['a target', 'target', JSON.stringify({ table: 'Stock' })],
    ['another file', 'upload', new Blob(['Item\nPears\n'])],
  ])('refuses %s after the file and adds no table', async (_, field, value) => {
    await makeStock()
    const before = await tablesOf()
    const form = new FormData()
    form.append('upload', new Blob(['Item\nApples\n']), 'Items.csv')
    form.append(field, value)
    const reply = await system.alice.rest.post(`${doc}/import`, { body: form })
    expect(reply).toMatchObject({ status: 400, body: { details: { field } } })
    expect(await tablesOf()).toEqual(before)
    expect(await rowsOf('Stock')).toHaveLength(1)
  })

  it('refuses more rows than a document takes at once, and documents of Sheaf', async () => {
    const many = await send(`a\n${'1\n'.repeat(100_001)}`)
    expect(many).toMatchObject({ status: 413, body: { details: { reason: 'IMPORT_TOO_LARGE' } } })
    const headers = { authorization: `Bearer ${system.sheaf.ownerKey}` }
    const file = await fetch(`${system.sheaf.url}${doc}/download`, { headers })
    expect(file.status).toBe(200)
    const copy = await send(new Uint8Array(await file.arrayBuffer()), {}, 'x.sqlite')
    expect(copy).toMatchObject({
      status: 400,
      body: { error: 'a Sheaf document can only be imported as a new document' },
    })
  })
})
