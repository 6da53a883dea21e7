import { readFileSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import {
  recordsOfArrow,
  recordsOfCsv,
  recordsOfNdjson,
  withTexts,
  type FormRecord,
} from '@sheaf/testkit/record-forms'
import type { RestReply } from '@sheaf/testkit/rest'
import { addRecords, addTable, newDocument, readRecords, useSystem } from '../support/system'

const NDJSON = 'application/x-ndjson'
const CSV = 'text/csv'
const ARROW = 'application/vnd.apache.arrow.stream'

const system = useSystem()
let table = ''

const types = {
  Name: 'Text',
  Kind: 'Choice',
  Age: 'Int',
  Size: 'Numeric',
  Ok: 'Bool',
  Born: 'Date',
  Seen: 'DateTime:Asia/Tokyo',
  Tags: 'ChoiceList',
  Friend: 'Ref:Every',
  Friends: 'RefList:Every',
  Files: 'Attachments',
  Any: 'Any',
}

beforeAll(async () => {
  const { rest } = system.alice
  const doc = await newDocument(rest)
  await addTable(rest, doc, 'Every', types)
  table = `${doc}/tables/Every`
  const full = {
    ...{ Name: 'Ада, "Ada"\nLovelace', Kind: 'a', Age: -36, Size: 1 / 3, Ok: true },
    ...{ Born: -4_861_987_200, Seen: 1_700_000_000.25, Tags: ['L', 'x, y', '"'], Friend: 2 },
    ...{ Friends: ['L', 1, 2], Files: ['L', 7], Any: ['L', 'x', 1] },
  }
  const kept = Object.fromEntries(Object.keys(types).map((id) => [id, 'kept, as "text"']))
  const none = Object.fromEntries(Object.keys(types).map((id) => [id, null]))
  await addRecords(rest, table, [full, kept, none, { Any: 0.5, Name: '' }, { Any: true }])
})

type Asked = Record<string, unknown>

const fetchAs = (path: string, accept: string, query: Asked = {}): Promise<RestReply> =>
  system.alice.rest.get(`${path}/records`, { headers: { accept }, query })
const listAs = (path: string, accept: string, body: Asked = {}): Promise<RestReply> =>
  system.alice.rest.post(`${path}/records/list`, { headers: { accept }, body })

/** All forms, by GET and by POST, are those records. */
async function expectInAll(
  path: string,
  records: readonly FormRecord[],
  query: Asked,
  body: Asked,
) {
  for (const read of [
    (accept: string) => fetchAs(path, accept, query),
    (accept: string) => listAs(path, accept, body),
  ]) {
    const [ndjson, csv, arrow] = [await read(NDJSON), await read(CSV), await read(ARROW)]
    expect(ndjson.headers.get('content-type')).toBe(NDJSON)
    expect(recordsOfNdjson(ndjson.raw)).toEqual(records)
    expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present')
    expect(recordsOfCsv(csv.raw)).toEqual(withTexts(records))
    expect(arrow.headers.get('content-type')).toBe(ARROW)
    expect(recordsOfArrow(arrow.raw)).toEqual(records)
  }
}

describe('records in the form that Accept names', () => {
  it.each<[Asked, Asked]>([
    [{}, {}],
    [
      { sort: '-Age', limit: 2 },
      { sort: ['-Age'], limit: 2 },
    ],
    [{ filter: { Age: [-36] } }, { filter: { Age: [-36] } }],
    [
      { fields: 'Tags,Seen', hidden: 'true' },
      { fields: ['Tags', 'Seen'], hidden: true },
    ],
    [{ hidden: 'true' }, { hidden: true }],
  ])(
    'are those of the JSON cell by cell, every type, by GET and by POST: %j',
    async (query, body) => {
      const records = await readRecords(system.alice.rest, table, query)
      expect(records.length).toBeGreaterThan(0)
      await expectInAll(table, records, query, body)
    },
  )

  it('are those of a real file: 250 countries in six scripts', async () => {
    const { rest } = system.alice
    const file = join(__dirname, '..', 'data', 'country-codes.csv')
    const [header = [], ...rows]: string[][] = parse(readFileSync(file), { bom: true })
    const doc = await newDocument(rest, 'Countries')
    const columns = header.map((label) => ({ id: label, fields: { type: 'Text', label } }))
    const body = { tables: [{ id: 'Data', columns }] }
    expect((await rest.post(`${doc}/tables`, { body })).status).toBe(200)
    const path = `${doc}/tables/Data`
    const { columns: made } = (await rest.get<{ columns: { id: string }[] }>(`${path}/columns`))
      .body
    const ids = made.map(({ id }) => id)
    await addRecords(
      rest,
      path,
      rows.map((row) => Object.fromEntries(row.map((cell, i) => [ids[i] ?? '', cell]))),
    )
    const records = await readRecords(rest, path)
    expect(records.map(({ fields }) => Object.values(fields))).toEqual(rows)
    await expectInAll(path, records, {}, {})
  })

  it('come page by page, with the cursor and the count in headers', async () => {
    const ids: number[] = []
    let query: URLSearchParams | undefined = new URLSearchParams(
      'limit=2&cursor=&count=true&sort=-Age',
    )
    while (query) {
      const reply = await fetchAs(table, CSV, Object.fromEntries(query))
      expect(reply.headers.get('x-total-count')).toBe('5')
      ids.push(...recordsOfCsv(reply.raw).map(({ id }) => id))
      const next = /^<\?(.*)>; rel="next"$/.exec(reply.headers.get('link') ?? '')?.[1]
      query = next === undefined ? undefined : new URLSearchParams(next)
      expect(reply.headers.get('x-next-cursor')).toBe(query?.get('cursor') ?? null)
    }
    const records = await readRecords(system.alice.rest, table, { sort: '-Age' })
    expect(ids).toEqual(records.map(({ id }) => id))
  })

  it('are JSON for whoever asks for nothing, for everything, or for what there is not', async () => {
    for (const accept of ['*/*', 'image/png', 'text/csv;q=0', 'application/json, text/csv;q=0.9']) {
      const reply = await fetchAs(table, accept, { limit: 1 })
      expect([accept, reply.headers.get('content-type'), reply.status]).toEqual([
        accept,
        'application/json; charset=utf-8',
        200,
      ])
    }
  })

  it('are none where there are none', async () => {
    const query = { filter: { id: [] } }
    const ndjson = await fetchAs(table, NDJSON, query)
    expect([ndjson.status, ndjson.raw.length]).toEqual([200, 0])
    expect((await fetchAs(table, CSV, query)).text).toBe(`id,${Object.keys(types).join(',')}\n`)
    expect(recordsOfArrow((await fetchAs(table, ARROW, query)).raw)).toEqual([])
  })

  it('have errors in JSON all the same', async () => {
    for (const accept of [NDJSON, CSV, ARROW])
      for (const [query, status] of [
        [{ filter: '{' }, 400],
        [{ sort: 'Nope' }, 400],
        [{ cursor: '' }, 400],
      ] as const)
        expect(await fetchAs(table, accept, query)).toMatchObject({
          status,
          body: { error: expect.any(String) },
        })
    expect((await fetchAs(`${table}Nope`, CSV)).body).toHaveProperty('error')
    expect(await fetchAs(table, ARROW, { cellFormat: 'typed' })).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining('cellFormat') },
    })
  })

  it('answer HEAD with the same headers', async () => {
    const { alice, sheaf } = system
    const headers = { authorization: `Bearer ${sheaf.ownerKey}`, accept: CSV }
    const reply = await fetch(`${alice.rest.url}${table}/records`, { method: 'HEAD', headers })
    const { headers: wanted } = await fetchAs(table, CSV)
    for (const name of ['content-type', 'etag', 'vary'])
      expect([name, reply.headers.get(name)]).toEqual([name, wanted.get(name)])
  })
})

describe('the tag of a form', () => {
  const known = (accept: string, tag: string) =>
    system.alice.rest.get(`${table}/records`, { headers: { accept, 'if-none-match': tag } })

  it('is its own, and answers tell that Accept chooses', async () => {
    const replies = await Promise.all([
      fetchAs(table, '*/*'),
      ...[NDJSON, CSV, ARROW].map((accept) => fetchAs(table, accept)),
    ])
    expect(new Set(replies.map(({ headers }) => headers.get('etag'))).size).toBe(4)
    for (const { headers } of replies) expect(headers.get('vary')).toMatch(/\bAccept\b/)
  })

  it('is known in that form only, until something is written', async () => {
    const forms = ['*/*', NDJSON, CSV, ARROW]
    const tags = new Map<string, string>()
    for (const accept of forms)
      tags.set(accept, (await fetchAs(table, accept)).headers.get('etag') ?? '')
    for (const accept of forms)
      for (const [owner, tag] of tags) {
        const reply = await known(accept, tag)
        expect([accept, owner, reply.status]).toEqual([accept, owner, owner === accept ? 304 : 200])
        expect(reply.headers.get('etag')).toBe(tags.get(accept))
      }
    expect((await known(CSV, [...tags.values()].join(', '))).status).toBe(304)
    expect((await known(CSV, '*')).status).toBe(304)
    await addRecords(system.alice.rest, table, [{ Name: 'new' }])
    expect((await known(CSV, tags.get(CSV) ?? '')).status).toBe(200)
  })

  it('of any form holds up a write after another', async () => {
    const tag = (await fetchAs(table, ARROW)).headers.get('etag') ?? ''
    const change = () =>
      system.alice.rest.patch(`${table}/records`, {
        headers: { 'if-match': tag },
        body: { records: [{ id: 1, fields: { Kind: 'b' } }] },
      })
    expect((await change()).status).toBe(200)
    expect((await change()).status).toBe(412)
  })
})

it('a client that leaves in the middle of a long answer in any form harms nobody', async () => {
  const { rest } = system.alice
  const doc = await newDocument(rest)
  await addTable(rest, doc, 'Long', { T: 'Text' })
  const path = `${doc}/tables/Long`
  const text = 'x'.repeat(500)
  await addRecords(
    rest,
    path,
    Array.from({ length: 20_000 }, (_, i) => ({ T: `${text} ${i}` })),
  )
  for (const accept of [NDJSON, CSV, ARROW])
    await new Promise<void>((resolve, reject) => {
      const headers = { authorization: `Bearer ${system.sheaf.ownerKey}`, accept }
      const request = httpRequest(`${rest.url}${path}/records`, { headers }, (response) => {
        response.once('data', () => {
          response.destroy()
          resolve()
        })
        response.on('error', () => {})
      })
      request.once('error', reject).end()
    })
  expect(recordsOfArrow((await fetchAs(path, ARROW)).raw)).toHaveLength(20_000)
})
