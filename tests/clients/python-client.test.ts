import { addTable, newDocument, useSystem } from '../support/system'

/*
 * The requests of grist_api, the Python client of the Grist API: path, method, headers and body as it sends them, and what
 * it relies on in the answers. It writes JSON with sorted keys and says of every request, also of GET, that it is JSON.
 */

const system = useSystem()
let doc = ''

beforeEach(async () => {
  const { rest } = system.alice
  doc = await newDocument(rest)
  await addTable(rest, doc, 'Plants', { Name: 'Text', Height: 'Numeric', Planted: 'Date' })
})

async function call<T>(path: string, body?: object, method = body ? 'POST' : 'GET'): Promise<T> {
  const response = await fetch(`${system.sheaf.url}${doc}/${path}`, {
    method,
    headers: {
      Authorization: `Bearer ${system.sheaf.ownerKey}`,
      'Content-Type': 'application/json',
      Accept: 'application/json',
    },
    body: body && JSON.stringify(body),
  })
  const answer = (await response.json()) as T & { error?: string }
  if (!response.ok) throw new Error(answer.error)
  return answer
}

type Columns = Record<string, unknown[]>

/** `fetch_table`: a list per column, all of one length, `id` among them. */
async function fetchTable(filters?: Record<string, unknown>): Promise<Record<string, unknown>[]> {
  const wanted = Object.entries(filters ?? {}).map(([name, value]) => [name, [value]])
  // quote_plus writes blanks as plus signs, as URLSearchParams does.
  const query = filters
    ? `?${new URLSearchParams({ filter: JSON.stringify(Object.fromEntries(wanted)) }).toString()}`
    : ''
  const columns = await call<Columns>(`tables/Plants/data${query}`)
  const ids = columns.id ?? []
  return ids.map((_, row) =>
    Object.fromEntries(Object.entries(columns).map(([name, cells]) => [name, cells[row]])),
  )
}

const addRecords = (cells: Columns) => call<number[]>('tables/Plants/data', cells)
const day = (text: string) => Date.parse(text) / 1000

describe('the Python client', () => {
  it('adds records by column, with dates in seconds, and reads them as rows', async () => {
    const cells = {
      Height: [1.5, null],
      Name: ['Rose', 'Fern of the north'],
      Planted: [day('2024-03-01'), day('2025-03-01')],
    }
    expect(await addRecords(cells)).toEqual([1, 2])
    const [rose, fern] = await fetchTable()
    expect(rose).toMatchObject({ id: 1, Name: 'Rose', Height: 1.5, Planted: day('2024-03-01') })
    expect(await fetchTable({ Name: 'Fern of the north' })).toEqual([fern])
  })

  it('changes records by column, and removes them with an action', async () => {
    await addRecords({ Name: ['Rose', 'Fern', 'Moss'] })
    expect(await call('tables/Plants/data', { Height: [2, 0.1], id: [1, 3] }, 'PATCH')).toEqual([
      1, 3,
    ])
    await call('apply', [['BulkRemoveRecord', 'Plants', [2]]])
    const rows = await fetchTable()
    expect(rows.map(({ id, Name, Height }) => [id, Name, Height])).toEqual([
      [1, 'Rose', 2],
      [3, 'Moss', 0.1],
    ])
  })

  it('synchronizes a table by its key: changes what differs, in a request for each set of columns, and adds the rest', async () => {
    await addRecords({ Height: [1, 1], Name: ['Rose', 'Fern'] })
    const present = new Map((await fetchTable()).map((row) => [row.Name, row]))
    expect([...present.keys()]).toEqual(['Rose', 'Fern'])
    await call('tables/Plants/data', { Height: [2], id: [present.get('Rose')?.id] }, 'PATCH')
    await call(
      'tables/Plants/data',
      { Height: [3], Planted: [day('2024-01-01')], id: [present.get('Fern')?.id] },
      'PATCH',
    )
    expect(await addRecords({ Height: [4], Name: ['Moss'] })).toEqual([3])
    expect((await fetchTable()).map(({ Name, Height }) => [Name, Height])).toEqual([
      ['Rose', 2],
      ['Fern', 3],
      ['Moss', 4],
    ])
  })

  it('gets the text of an error from `error`', async () => {
    await expect(call('tables/Nobody/data')).rejects.toThrow(/Nobody/)
    await expect(addRecords({ Nmae: ['Rose'] })).rejects.toThrow(/Nmae/)
  })
})
