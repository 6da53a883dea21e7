import { addRecords, addTable, newDocument, useSystem, type RestRecord } from '../support/system'

const system = useSystem()
let table = ''

beforeAll(async () => {
  const { rest } = system.alice
  const doc = await newDocument(rest)
  await addTable(rest, doc, 'Towns', { Name: 'Text', Size: 'Int', Tags: 'ChoiceList' })
  table = `${doc}/tables/Towns`
  const sizes = [5, 1, null, 3, 3, 8, 2]
  const towns = ['Öhringen', 'ulm', 'Ahlen', 'köln', 'Ulm', 'Aalen', 'Bonn']
  await addRecords(
    rest,
    table,
    towns.map((Name, i) => ({ Name, Size: sizes[i], Tags: i % 2 ? ['L', 'old', 'big'] : null })),
  )
})

interface Answer {
  records: RestRecord[]
  nextCursor?: string | null
  totalCount?: number
  error?: string
}

const get = (query: Record<string, unknown>) =>
  system.alice.rest.get<Answer>(`${table}/records`, { query })
const list = (body: object) => system.alice.rest.post<Answer>(`${table}/records/list`, { body })
const idsOf = ({ records }: Answer) => records.map(({ id }) => id)

describe('operators in a filter', () => {
  it.each<[object, number[]]>([
    [{ Size: { gte: 3, lt: 8 } }, [1, 4, 5]],
    [{ Size: { isNull: true } }, [3]],
    [{ Name: { contains: 'Ö', ignoreCase: true } }, [1, 4]],
    [{ Name: { startsWith: 'A' }, Size: { isNull: false } }, [6]],
    [{ Tags: { has: 'big' }, Name: { ne: 'ulm' } }, [4, 6]],
    [{ or: [{ Name: { eq: 'ULM', ignoreCase: true } }, { Size: [8] }] }, [2, 5, 6]],
  ])('find the same by GET and by POST: %j', async (filter, ids) => {
    expect(idsOf((await get({ filter })).body)).toEqual(ids)
    expect(idsOf((await list({ filter })).body)).toEqual(ids)
  })

  it('that are not known are refused by name', async () => {
    for (const reply of [
      await get({ filter: { Size: { near: 1 } } }),
      await list({ filter: { Size: { near: 1 } } }),
    ])
      expect(reply).toMatchObject({
        status: 400,
        body: { error: expect.stringMatching(/Size.*near/), details: { reason: 'INVALID_FILTER' } },
      })
  })

  it('leave what is no operator refused as ever', async () => {
    expect((await get({ filter: { Size: 5 } })).body.error).toBe(
      'Invalid query: filter values must be arrays',
    )
    expect((await list({ filter: { Size: 5 } })).status).toBe(400)
  })
})

describe('a search', () => {
  it.each<[object, number[]]>([
    [{ search: 'ÖHR' }, [1]],
    [{ search: 'ln', sort: '-Size' }, [4]],
    [{ search: 'le', filter: { Size: { isNull: true } } }, [3]],
    [{ search: '8' }, [6]],
    [{ search: 'OLD' }, [2, 4, 6]],
    [{ search: 'b', fields: 'Size' }, [2, 4, 6, 7]],
    [{ search: '\u0000' }, []],
  ])('finds the same by GET and by POST: %j', async (query, ids) => {
    expect(idsOf((await get({ ...query })).body)).toEqual(ids)
    const { sort, fields, ...body } = query as { sort?: string; fields?: string }
    const listed = await list({ ...body, sort: sort && [sort], fields: fields && [fields] })
    expect(idsOf(listed.body)).toEqual(ids)
  })

  it('finds what columns show in their format, and in the language of the reader', async () => {
    const doc = await newDocument(system.alice.rest)
    const widgetOptions = JSON.stringify({ numMode: 'percent' })
    const columns = [
      { id: 'Share', fields: { type: 'Numeric', widgetOptions } },
      { id: 'Day', fields: { type: 'Date' } },
    ]
    const { rest } = system.alice
    await rest.post(`${doc}/tables`, { body: { tables: [{ id: 'Kinds', columns }] } })
    const kinds = `${doc}/tables/Kinds`
    await addRecords(rest, kinds, [{ Share: 0.5 }, { Day: '2024-03-01' }])
    const found = async (query: Record<string, unknown>) =>
      idsOf((await rest.get<Answer>(`${kinds}/records`, { query })).body)
    expect(await found({ search: '50%' })).toEqual([1])
    expect(await found({ search: 't' })).toEqual([])
    expect(await found({ search: '1 Mar' })).toEqual([])
    expect(await found({ search: '1 Mar', searchLocale: 'en-GB' })).toEqual([2])
    expect(await found({ search: '50 %', searchLocale: 'de' })).toEqual([1])
    expect(await found({ search: '1 Mar', searchLocale: 'sco' })).toEqual([])
    expect(await found({ search: '50%', searchLocale: 'sco' })).toEqual([1])
  })

  it('selects rows of columns, and the rows of which values are counted', async () => {
    const { rest } = system.alice
    const query = { search: 'ULM', searchFields: 'Name', filter: { Size: { lt: 3 } } }
    expect((await rest.get(`${table}/data`, { query })).body).toMatchObject({ id: [2] })
    expect(
      (await rest.get(`${table}/columns/Size/values`, { query: { search: 'old' } })).body,
    ).toEqual({
      values: [1, 3, 8].map((value) => ({ value, count: 1 })),
      total: 3,
    })
    for (const path of [`${table}/data`, `${table}/columns/Size/values`, `${table}/groups`])
      for (const [name, wrong] of [
        ['search', { search: '' }],
        ['searchFields', { searchFields: 'Name' }],
        ['searchLocale', { search: 'a', searchLocale: 'no tag' }],
        ['Nope', { search: 'a', searchFields: 'Nope' }],
      ] as const) {
        const { status, body } = await rest.get<Answer>(path, { query: wrong })
        expect([status, body.error]).toEqual([400, expect.stringContaining(name)])
      }
  })

  it('looks only at some columns, and is counted and paged', async () => {
    const query = { search: 'b', searchFields: 'Name,Size', count: 1, limit: 1, cursor: '' }
    expect((await get(query)).body).toMatchObject({ records: [{ id: 7 }], totalCount: 1 })
    const body = { search: 'b', searchFields: ['Tags'], limit: 2, cursor: '' }
    const { nextCursor } = (await list(body)).body
    expect(idsOf((await list({ ...body, cursor: nextCursor })).body)).toEqual([6])
    expect((await list({ ...body, search: 'i', cursor: nextCursor })).status).toBe(400)
  })

  it.each([
    ['search', { search: '' }],
    ['search', { search: 'x'.repeat(201) }],
    ['searchFields', { search: 'a', searchFields: '' }],
    ['searchFields', { searchFields: 'Name' }],
    ['searchLocale', { search: 'a', searchLocale: 'x' }],
    ['searchLocale', { searchLocale: 'en' }],
    ['Nope', { search: 'a', searchFields: 'Nope' }],
  ])('that cannot be made is refused by naming %s: %j', async (name, query) => {
    const { searchFields } = query as { searchFields?: string }
    const fields = searchFields === '' ? [] : [searchFields]
    for (const reply of [
      await get(query),
      await list({ ...query, ...(searchFields !== undefined && { searchFields: fields }) }),
    ])
      expect([reply.status, reply.body.error]).toEqual([400, expect.stringContaining(name)])
  })
})

describe('fields and count', () => {
  it('show some columns, and how many rows there are', async () => {
    const query = { fields: 'Size', count: 'true', limit: 1, filter: { Size: { gt: 2 } } }
    const first = { id: 1, fields: { Size: 5 } }
    expect((await get(query)).body).toEqual({ records: [first], totalCount: 4 })
    const listed = await list({ ...query, fields: ['Size'], count: true })
    expect(listed.body).toEqual({ records: [first], totalCount: 4 })
    expect((await get({ fields: '', limit: 1 })).body).toEqual({ records: [{ id: 1, fields: {} }] })
    expect((await get({ fields: 'Nope' })).status).toBe(400)
  })
})

describe('paging', () => {
  it('goes from page to page by the link, with everything else that was asked', async () => {
    const { rest } = system.alice
    const start = { sort: '-Name', limit: 3, cursor: '', fields: 'Name' }
    let url = new URL(`${rest.url}${table}/records`)
    for (const [name, value] of Object.entries(start)) url.searchParams.set(name, String(value))
    const ids: number[] = []
    const sizes: number[] = []
    for (;;) {
      const { body, headers } = await rest.get<Answer>(url.pathname + url.search)
      ids.push(...idsOf(body))
      sizes.push(body.records.length)
      expect(headers.get('x-next-cursor')).toBe(body.nextCursor)
      const link = /^<([^>]*)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1]
      if (link === undefined) break
      url = new URL(link, url)
    }
    expect(sizes).toEqual([3, 3, 1])
    expect(ids).toEqual(idsOf((await get({ sort: '-Name' })).body))
  })

  it('works with the selection in the body', async () => {
    const first = await list({ sort: ['Size'], limit: 4, cursor: '' })
    expect(first.headers.get('x-next-cursor')).toBe(first.body.nextCursor)
    expect(first.headers.get('link')).toBeNull()
    const second = await list({ sort: ['Size'], limit: 4, cursor: first.body.nextCursor })
    expect(second.body.nextCursor).toBeNull()
    expect([...idsOf(first.body), ...idsOf(second.body)]).toEqual(
      idsOf((await get({ sort: 'Size' })).body),
    )
  })

  it('refuses a cursor that is not of this question, and a page without an end', async () => {
    const { nextCursor } = (await get({ limit: 1, cursor: '' })).body
    for (const query of [
      { limit: 1, cursor: 'abc' },
      { limit: 1, cursor: nextCursor, sort: 'Name' },
      { limit: 1, cursor: 'x'.repeat(9_000) },
      { cursor: '' },
    ]) {
      const { status, body } = await get(query)
      expect([status, body.error]).toEqual([400, expect.stringMatching(/cursor/)])
    }
  })

  it('skips rows by offset, and the next page is behind them', async () => {
    const { rest } = system.alice
    const all = idsOf((await get({ sort: '-Name' })).body)
    const { body, headers } = await get({
      sort: '-Name',
      limit: 2,
      offset: 3,
      cursor: '',
      count: 1,
    })
    expect([idsOf(body), body.totalCount]).toEqual([all.slice(3, 5), 7])
    const link = /^<([^>]*)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1]
    const next = await rest.get<Answer>(`${table}/records${link}`)
    expect([idsOf(next.body), next.body.nextCursor]).toEqual([all.slice(5), null])
    const listed = await list({ sort: ['-Name'], limit: 2, offset: 6, cellFormat: 'typed' })
    expect(idsOf(listed.body)).toEqual(all.slice(6))
    const lines = await rest.get<string>(`${table}/records`, {
      query: { offset: 5 },
      headers: { Accept: 'application/x-ndjson' },
    })
    expect(lines.body.trim().split('\n')).toHaveLength(2)
    expect((await get({ offset: 10_000_000 })).body).toEqual({ records: [] })
  })

  it.each(['-1', '1.5', 'x', '', '10000001', '1e3'])('refuses the offset %j', async (offset) => {
    const { status, body } = await get({ offset })
    expect([status, body.error]).toEqual([
      400,
      `offset parameter must be an integer from 0 to 10000000: ${offset}`,
    ])
  })

  it('refuses an offset in a body that is no number of rows', async () => {
    for (const offset of [-1, 1.5, 'x', 10_000_001, null]) {
      const { status, body } = await list({ offset })
      expect([status, JSON.stringify(body)]).toEqual([400, expect.stringMatching(/body\.offset/)])
    }
  })

  it('adds nothing to an answer that nobody asked for', async () => {
    const { body, headers } = await get({ limit: 2 })
    expect(Object.keys(body)).toEqual(['records'])
    expect([headers.get('x-next-cursor'), headers.get('link')]).toEqual([null, null])
  })
})
