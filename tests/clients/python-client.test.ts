import { addTable, newDocument, useSystem } from '../support/system'

// The requests of the Python client grist_api (PyPI), which does not run here: its headers, also on requests
// without a body; bodies as json.dumps(…, sort_keys=True) writes them; filters as quote_plus does. Bodies are
// literals, because that spacing, those escapes and floats such as 4.0 are what is tested.

const system = useSystem()
let doc = ''

beforeEach(async () => {
  const { rest } = system.alice
  doc = await newDocument(rest)
  await addTable(rest, doc, 'Plants', {
    Name: 'Text',
    Height: 'Numeric',
    Planted: 'Date',
    Watered: 'DateTime:UTC',
    Hardy: 'Bool',
  })
})

interface Sent {
  readonly method?: 'GET' | 'POST' | 'PATCH'
  readonly body?: string
  readonly key?: string
}

async function send(path: string, { body, method, key }: Sent = {}) {
  const { url, ownerKey } = system.sheaf
  const response = await fetch(`${url}${doc}/${path}`, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: {
      'User-Agent': 'python-requests/2.31.0',
      'Accept-Encoding': 'gzip, deflate',
      Accept: 'application/json',
      Connection: 'keep-alive',
      'Content-Type': 'application/json',
      Authorization: `Bearer ${key ?? ownerKey}`,
    },
    ...(body !== undefined && { body }),
  })
  // Parses every response, also those without a result.
  return { status: response.status, json: JSON.parse(await response.text()) as unknown }
}

/** Sends a request that must succeed; returns what it is answered. */
async function call(path: string, sent: Sent = {}): Promise<unknown> {
  const { status, json } = await send(path, sent)
  expect({ status, json }).toMatchObject({ status: 200 })
  return json
}

type Columns = Readonly<Record<string, readonly unknown[]>>

/** Reads a table as the client does, which makes named tuples of the columns. */
async function fetchTable(query = ''): Promise<Record<string, unknown>[]> {
  const columns = (await call(`tables/Plants/data${query}`)) as Columns
  const names = Object.keys(columns)
  // Fields of named tuples: identifiers that do not begin with an underscore.
  expect(names.filter((name) => !/^[A-Za-z]\w*$/.test(name))).toEqual([])
  const count = columns.id?.length ?? -1
  expect(Object.values(columns).map(({ length }) => length)).toEqual(names.map(() => count))
  return Array.from({ length: count }, (_, i) =>
    Object.fromEntries(names.map((name) => [name, columns[name]?.[i]])),
  )
}

const addTwo = {
  body: '{"Hardy": [true, false], "Height": [1.5, null], "Name": ["Rose", "Farn \\u00fc\\ud83c\\udf3f"], "Planted": [1561507200.0, null], "Watered": ["2019-06-26T12:30:00", "2019-06-26T12:30:00+02:00"]}',
}

describe('the requests of the Python client', () => {
  it('fetch_table gets all columns, in lists of equal length', async () => {
    expect(await fetchTable()).toEqual([])
    expect(await call('tables/Plants/data', addTwo)).toEqual([1, 2])
    expect(await fetchTable()).toEqual([
      {
        ...{ id: 1, manualSort: 1, Name: 'Rose', Height: 1.5, Hardy: true },
        ...{ Planted: 1561507200, Watered: 1561552200 },
      },
      {
        ...{ id: 2, manualSort: 2, Name: 'Farn ü🌿', Height: null, Hardy: false },
        ...{ Planted: null, Watered: 1561545000 },
      },
    ])
  })

  it('fetch_table filters by text with spaces, numbers, booleans and dates', async () => {
    await call('tables/Plants/data', addTwo)
    await call('tables/Plants/data', { body: '{"Name": ["Tree & fern + moss", "Ivy"]}' })
    const named = '%7B%22Name%22%3A+%5B%22Tree+%26+fern+%2B+moss%22%5D%7D'
    expect(await fetchTable(`?filter=${named}`)).toMatchObject([{ id: 3 }])
    // {"Hardy": [true], "Height": [1.5]}
    const both = '%7B%22Hardy%22%3A+%5Btrue%5D%2C+%22Height%22%3A+%5B1.5%5D%7D'
    expect(await fetchTable(`?filter=${both}`)).toMatchObject([{ id: 1 }])
    // {"Planted": [1561507200.0]}
    const planted = '%7B%22Planted%22%3A+%5B1561507200.0%5D%7D'
    expect(await fetchTable(`?filter=${planted}`)).toMatchObject([{ id: 1 }])
    expect(await fetchTable('?filter=%7B%22Name%22%3A+%5B%22Oak%22%5D%7D')).toEqual([])
  })

  it('add_records adds chunks, and gets the ids of each', async () => {
    const chunks = [
      '{"Name": ["a", "b"], "Height": [1, 2]}',
      '{"Name": ["c", "d"], "Height": [3, 4.0]}',
      '{"Name": ["e"], "Height": [5]}',
    ]
    const ids: unknown[] = []
    for (const body of chunks) ids.push(await call('tables/Plants/data', { body }))
    expect(ids).toEqual([[1, 2], [3, 4], [5]])
    const rows = await fetchTable()
    expect(rows.map(({ Name, Height }) => [Name, Height])).toEqual([
      ['a', 1],
      ['b', 2],
      ['c', 3],
      ['d', 4],
      ['e', 5],
    ])
  })

  it('update_records sends a request for each set of columns, and chunk', async () => {
    await call('tables/Plants/data', { body: '{"Name": ["a", "b", "c"]}' })
    const updates = [
      '{"Height": [1, 2], "id": [1, 2]}',
      '{"Height": [3], "id": [3]}',
      '{"Hardy": [true], "Name": ["A"], "id": [1]}',
    ]
    for (const body of updates) {
      await call('tables/Plants/data', { method: 'PATCH', body })
    }
    expect(await fetchTable()).toMatchObject([
      { Name: 'A', Height: 1, Hardy: true },
      { Name: 'b', Height: 2, Hardy: false },
      { Name: 'c', Height: 3, Hardy: false },
    ])
  })

  it('delete_records applies removals', async () => {
    await call('tables/Plants/data', { body: '{"Name": ["a", "b", "c", "d"]}' })
    for (const ids of ['[1, 3]', '[4]']) {
      await call('apply', { body: `[["BulkRemoveRecord", "Plants", ${ids}]]` })
    }
    expect(await fetchTable()).toMatchObject([{ id: 2, Name: 'b' }])
  })

  it('sync_table reads what its filter allows, updates, then adds', async () => {
    await call('tables/Plants/data', addTwo)
    const filter = '?filter=%7B%22Name%22%3A+%5B%22Rose%22%5D%7D'
    const [rose] = await fetchTable(filter)
    expect(rose).toMatchObject({ id: 1, Height: 1.5 })
    await call('tables/Plants/data', { method: 'PATCH', body: '{"Height": [1.75], "id": [1]}' })
    const added = '{"Hardy": [true], "Height": [9.0], "Name": ["Rose"], "Planted": [null]}'
    expect(await call('tables/Plants/data', { body: added })).toEqual([3])
    expect(await fetchTable(filter)).toMatchObject([
      { id: 1, Height: 1.75 },
      { id: 3, Height: 9, Planted: null },
    ])
  })

  it('lists tables and columns', async () => {
    expect(await call('tables')).toMatchObject({ tables: [{ id: 'Table1' }, { id: 'Plants' }] })
    expect(await call('tables/Plants/columns')).toMatchObject({
      columns: expect.arrayContaining([
        { id: 'Height', fields: expect.objectContaining({ type: 'Numeric' }) as object },
      ]) as object,
    })
  })

  it('has the text of an error in `error`, never of one that it would repeat', async () => {
    const unknownColumn = { body: '{"Roots": [1]}' }
    const failures = [
      await send('tables/Weeds/data'),
      await send('tables/Plants/data', unknownColumn),
      await send('tables/Plants/data', { method: 'PATCH', body: '{"Height": [1], "id": [99]}' }),
      await send('apply', { body: '[["BulkRemoveRecord", "Weeds", [1]]]' }),
      await send('tables/Plants/data', { key: 'wrong' }),
    ]
    expect(failures.map(({ status }) => status)).toEqual([404, 400, 400, 404, 401])
    for (const { json } of failures) {
      expect(json).toMatchObject({ error: expect.any(String) as string })
      expect(JSON.stringify(json)).not.toContain('SQLITE_BUSY')
    }
  })
})
