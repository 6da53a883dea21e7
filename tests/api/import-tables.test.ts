import { randomUUID } from 'node:crypto'
import { eventually } from '@sheaf/testkit/eventually'
import { startReceiver } from '@sheaf/testkit/webhook-receiver'
import Database from 'better-sqlite3'
import { openServerEvents } from '../support/server-events'
import { newDocument, useOwnSystem } from '../support/system'
import { addWebhook, allowLoopback, untilRows } from '../support/webhooks'

interface Imported {
  readonly tables: { readonly id: string; readonly rows: number }[]
  readonly seq: number
  readonly details?: { readonly reason: string; readonly field?: string }
}

const system = useOwnSystem({ env: allowLoopback })
let doc: string
beforeEach(async () => {
  doc = await newDocument(system.alice.rest, 'Target')
})

function send(
  content: string | Uint8Array,
  fields: Record<string, unknown> = {},
  { name = 'Items.csv', headers = {} }: { name?: string; headers?: Record<string, string> } = {},
) {
  const form = new FormData()
  for (const [key, value] of Object.entries(fields)) form.set(key, JSON.stringify(value))
  form.set('upload', new Blob([content]), name)
  return system.alice.rest.post<Imported>(`${doc}/import`, { body: form, headers })
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
    await send(json, {}, { name: 'x.json' })
    const { body } = await send(json, {}, { name: 'x.json' })
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

  it('names both columns of a file that go to the same column of the table', async () => {
    await makeStock()
    const target = { table: 'Stock', columns: { Product: 'Item' } }
    const { status, body } = await send('Product,Item\nApples,1\n', { target })
    expect(status).toBe(400)
    expect(body).toMatchObject({
      error:
        'target.columns: "Product" and "Item" of the file both go to column "Item": map one of them to another column, or to null',
    })
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

  it('counts no rows of tables of the file that are not imported', async () => {
    await makeStock()
    const many = Array.from({ length: 100_001 }, () => ({ a: 1 }))
    const json = JSON.stringify({ Small: [{ Item: 'Apples' }], Large: many })
    const target = { table: 'Stock', source: 'Small' }
    const { status, body } = await send(json, { target }, { name: 'x.json' })
    expect([status, body.tables]).toEqual([200, [{ id: 'Stock', rows: 1 }]])
  })

  it('refuses more rows than a document takes at once, and documents of Sheaf', async () => {
    const many = await send(`a\n${'1\n'.repeat(100_001)}`)
    expect(many).toMatchObject({ status: 413, body: { details: { reason: 'IMPORT_TOO_LARGE' } } })
    const headers = { authorization: `Bearer ${system.sheaf.ownerKey}` }
    const file = await fetch(`${system.sheaf.url}${doc}/download`, { headers })
    expect(file.status).toBe(200)
    const copy = await send(new Uint8Array(await file.arrayBuffer()), {}, { name: 'x.sqlite' })
    expect(copy).toMatchObject({
      status: 400,
      body: { error: 'a Sheaf document can only be imported as a new document' },
    })
  })
})

describe('an import with conditions', () => {
  const target = { table: 'Stock' }
  const content = 'Item,Price\nApples,1\n'

  it('takes effect once for an Idempotency-Key, also when the table is gone meanwhile', async () => {
    await makeStock()
    const headers = { 'idempotency-key': randomUUID() }
    const first = await send(content, { target }, { headers })
    expect(first).toMatchObject({ status: 200, body: { tables: [{ id: 'Stock', rows: 1 }] } })
    expect((await send(content, { target }, { headers })).body).toEqual(first.body)
    expect(await rowsOf('Stock')).toHaveLength(2)
    await system.alice.rest.post(`${doc}/apply`, { body: [['RemoveTable', 'Stock']] })
    expect((await send(content, { target }, { headers })).body).toEqual(first.body)
  })

  it.each<[string, string, Record<string, unknown>, string]>([
    ['file', 'Item\nPears\n', { target }, 'Items.csv'],
    ['target', content, {}, 'Items.csv'],
    ['option', content, { options: { delimiter: ';' }, target }, 'Items.csv'],
    ['name', content, { target }, 'Others.csv'],
  ])('refuses an Idempotency-Key of an import with another %s', async (_, other, fields, name) => {
    await makeStock()
    const headers = { 'idempotency-key': randomUUID() }
    await send(content, { target }, { headers })
    const reply = await send(other, fields, { name, headers })
    expect(reply).toMatchObject({
      status: 422,
      body: { details: { reason: 'IDEMPOTENCY_KEY_REUSED' } },
    })
    expect(await rowsOf('Stock')).toHaveLength(2)
  })

  it('runs once when it is sent twice at the same time with one Idempotency-Key', async () => {
    await makeStock()
    const headers = { 'idempotency-key': randomUUID() }
    const sent = await Promise.all([1, 2].map(() => send(content, { target }, { headers })))
    expect(sent.map(({ status }) => status)).toEqual([200, 200])
    expect(sent[0]?.body).toEqual(sent[1]?.body)
    expect(await rowsOf('Stock')).toHaveLength(2)
  })

  it('is done while If-Match names the state of the document, and refused afterwards', async () => {
    await makeStock()
    const read = await system.alice.rest.get(`${doc}/tables`)
    const headers = { 'if-match': read.headers.get('etag') ?? '' }
    const done = await send(content, { target }, { headers })
    expect(done.status).toBe(200)
    expect(done.headers.get('etag')).toMatch(new RegExp(`[.]${done.body.seq}"$`))
    expect(await send(content, { target }, { headers })).toMatchObject({
      status: 412,
      body: { details: { reason: 'DOCUMENT_CHANGED' } },
    })
    expect(await rowsOf('Stock')).toHaveLength(2)
  })

  it('is refused as strict for a cell that does not fit its column', async () => {
    await makeStock()
    const headers = { prefer: 'handling=strict' }
    const words = 'Item,Price\nApples,cheap\n'
    expect((await send(words, { target }, { headers })).status).toBe(400)
    expect(await rowsOf('Stock')).toHaveLength(1)
    expect((await send(words, { target })).status).toBe(200)
  })

  it('is refused as strict for a cell that does not fit the type chosen for its column', async () => {
    const headers = { prefer: 'handling=strict' }
    const words = `Name,Age\n${'Ada,36\n'.repeat(2_500)}Bob,old\n`
    const options = { types: { Items: { Age: 'Int' } } }
    const before = await tablesOf()
    expect(await send(words, { options }, { headers })).toMatchObject({
      status: 400,
      body: { details: { reason: 'INVALID_VALUE', column: 'Age', index: '2500' } },
    })
    expect(await tablesOf()).toEqual(before)
    expect((await send(words, {}, { headers })).status).toBe(200)
    expect((await send(words, { options })).status).toBe(200)
  })

  it('is refused as strict for a reference to a row that does not exist', async () => {
    const pets = (owner: number) => {
      const db = new Database(':memory:')
      db.pragma('foreign_keys = OFF')
      db.exec(`
        CREATE TABLE People (id INTEGER PRIMARY KEY, name TEXT);
        CREATE TABLE Pets (name TEXT, owner INTEGER REFERENCES People (id));
        INSERT INTO People VALUES (7, 'Ada');
        INSERT INTO Pets VALUES ('Tom', NULL), ('Kit', ${owner})`)
      const file = db.serialize()
      db.close()
      return file
    }
    const strict = { headers: { prefer: 'handling=strict' }, name: 'pets.db' }
    const before = await tablesOf()
    expect(await send(pets(9), {}, strict)).toMatchObject({
      status: 400,
      body: { details: { reason: 'INVALID_VALUE', column: 'owner', index: '1' } },
    })
    expect(await tablesOf()).toEqual(before)
    expect((await send(pets(7), {}, strict)).status).toBe(200)
    expect((await send(pets(9), {}, { name: 'pets.db' })).status).toBe(200)
  })

  it('names the row of a file that is refused as strict, also beyond the first of many', async () => {
    await makeStock()
    const words = `Item,Price\n${'Apples,1\n'.repeat(2_500)}Pears,cheap\n`
    const headers = { prefer: 'handling=strict' }
    expect(await send(words, { target }, { headers })).toMatchObject({
      status: 400,
      body: { details: { column: 'Price', index: '2500' } },
    })
  })
})

describe('the rows of an import', () => {
  it('are delivered to webhooks and to the stream of changes', async () => {
    await makeStock()
    await using receiver = await startReceiver()
    const hook = { url: `${receiver.url}/stock`, tableId: 'Stock', eventTypes: ['add'] }
    await addWebhook(system.alice.rest, doc, hook)
    const stream = await openServerEvents(
      `${system.sheaf.url}${doc}/changes`,
      system.sheaf.ownerKey,
    )
    const { body } = await send('Item,Price\nApples,1\nPears,2\n', { target: { table: 'Stock' } })
    expect(await untilRows(receiver, '/stock', 2)).toMatchObject([
      { Item: 'Apples', Price: 1 },
      { Item: 'Pears', Price: 2 },
    ])
    await eventually(() => stream.seqs().includes(body.seq))
    const change = stream.events.find(({ id }) => id === String(body.seq))
    const added = expect.objectContaining({
      action: 'addRows',
      tableId: 'Stock',
      rowIds: [2, 3],
    }) as unknown
    const operations = expect.arrayContaining([added]) as unknown
    expect(change?.data).toMatchObject({ cause: 'import', operations })
    stream.close()
  })

  it('are not added by a viewer', async () => {
    await makeStock()
    const { dan, alice } = system
    const users = { [dan.email]: 'viewers' }
    await alice.rest.patch(`${doc}/access`, { body: { delta: { users } } })
    const tables = await tablesOf()
    for (const fields of [{}, { target: { table: 'Stock' } }]) {
      const form = new FormData()
      for (const [key, value] of Object.entries(fields)) form.set(key, JSON.stringify(value))
      form.set('upload', new Blob(['Item\nApples\n']), 'Items.csv')
      expect((await dan.rest.post(`${doc}/import`, { body: form })).status).toBe(403)
    }
    expect(await tablesOf()).toEqual(tables)
    expect(await rowsOf('Stock')).toHaveLength(1)
  })
})
