import { createRest, type Rest } from '@sheaf/testkit/rest'
import { addTable, newDocument, useSystem } from '../support/system'

const system = useSystem()

const caps = {
  rowsPerCall: null,
  rowsPerHour: null,
  tables: null,
  noStructure: false,
}

/** A client whose key has these caps. */
async function capped(given: object): Promise<Rest> {
  const body = { name: 'agent', scope: { caps: given } }
  const made = await system.alice.rest.post<{ key: string; scope: object }>(
    '/api/profile/apikeys',
    { body },
  )
  expect(made).toMatchObject({ status: 200, body: { scope: { caps: { ...caps, ...given } } } })
  return createRest(system.sheaf.url, made.body.key)
}

const rows = (count: number) => ({
  body: { records: Array.from({ length: count }, (_, i) => ({ fields: { A: `r${i}` } })) },
})

const refusal = (cap: string) => ({
  status: 403,
  body: { details: { reason: 'KEY_CAP', cap } },
})

/** A document with tables T and U, each with a column A. */
async function twoTables(): Promise<string> {
  const { rest } = system.alice
  const doc = await newDocument(rest)
  await addTable(rest, doc, 'T', { A: 'Text' })
  await addTable(rest, doc, 'U', { A: 'Text', R: 'Ref:T' })
  return doc
}

it('limits the rows of one call, whichever way they are written', async () => {
  const doc = await twoTables()
  const rest = await capped({ rowsPerCall: 2 })

  expect((await rest.post(`${doc}/tables/T/records`, rows(2))).status).toBe(200)
  expect(await rest.post(`${doc}/tables/T/records`, rows(3))).toMatchObject(refusal('rowsPerCall'))
  expect(await rest.post(`${doc}/tables/T/data`, { body: { A: ['a', 'b', 'c'] } })).toMatchObject(
    refusal('rowsPerCall'),
  )
  expect(
    await rest.put(`${doc}/tables/T/records`, {
      body: { records: ['x', 'y', 'z'].map((A) => ({ require: { A } })) },
    }),
  ).toMatchObject(refusal('rowsPerCall'))
  const actions = [1, 2, 3].map(() => ['AddRecord', 'T', null, { A: 'a' }])
  expect(await rest.post(`${doc}/apply`, { body: actions })).toMatchObject(refusal('rowsPerCall'))
  const removal = { body: [['RemoveTable', 'T']] }
  expect(await rest.post(`${doc}/apply`, removal)).toMatchObject(refusal('rowsPerCall'))

  const { body } = await rest.get<{ records: unknown[] }>(`${doc}/tables/T/records`)
  expect(body.records).toHaveLength(2)
})

it('ends a loop of writes at its cap of an hour, and says when to go on', async () => {
  const doc = await twoTables()
  const rest = await capped({ rowsPerHour: 10 })
  const statuses: number[] = []
  for (let call = 0; call < 8; call++) {
    const answer = await rest.post(`${doc}/tables/T/records`, rows(3))
    statuses.push(answer.status)
    if (answer.status === 200) continue
    expect(answer).toMatchObject({
      status: 429,
      body: { details: { reason: 'KEY_ROWS_PER_HOUR', cap: 'rowsPerHour' } },
    })
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(3_500)
  }
  expect(statuses).toEqual([200, 200, 200, 429, 429, 429, 429, 429])
  expect((await rest.post(`${doc}/tables/T/records`, rows(1))).status).toBe(200)
  expect(await rest.post(`${doc}/tables/T/records`, rows(11))).toMatchObject(refusal('rowsPerHour'))
})

it('counts neither refused writes nor repeated ones', async () => {
  const doc = await twoTables()
  const rest = await capped({ rowsPerHour: 2 })
  const bad = { body: { records: [{ fields: { Nope: 1 } }, { fields: { Nope: 1 } }] } }
  expect((await rest.post(`${doc}/tables/T/records`, bad)).status).toBe(400)
  const once = { ...rows(2), headers: { 'Idempotency-Key': 'once' } }
  const first = await rest.post(`${doc}/tables/T/records`, once)
  expect(first.status).toBe(200)
  expect(await rest.post(`${doc}/tables/T/records`, once)).toMatchObject({
    status: 200,
    body: first.body as object,
  })
})

it('keeps a key to its tables', async () => {
  const doc = await twoTables()
  const { rest: alice } = system.alice
  const rest = await capped({ tables: ['T'] })

  expect((await rest.post(`${doc}/tables/T/records`, rows(1))).status).toBe(200)
  expect(await rest.post(`${doc}/tables/U/records`, rows(1))).toMatchObject(refusal('tables'))
  expect((await rest.get(`${doc}/tables/U/records`)).status).toBe(200)
  await alice.post(`${doc}/tables/U/records`, { body: { records: [{ fields: { R: 1 } }] } })
  expect(await rest.post(`${doc}/tables/T/data/delete`, { body: [1] })).toMatchObject(
    refusal('tables'),
  )
  const tables = { body: { tables: [{ id: 'V', columns: [{ id: 'A' }] }] } }
  expect(await rest.post(`${doc}/tables`, tables)).toMatchObject(refusal('tables'))
})

it('keeps a key from changing tables and columns', async () => {
  const doc = await twoTables()
  const rest = await capped({ noStructure: true })
  const columns = { body: { columns: [{ id: 'B' }] } }

  expect(await rest.post(`${doc}/tables/T/columns`, columns)).toMatchObject(refusal('noStructure'))
  expect(await rest.delete(`${doc}/tables/T/columns/A`)).toMatchObject(refusal('noStructure'))
  const rename = { body: [['RenameTable', 'T', 'W']] }
  expect(await rest.post(`${doc}/apply`, rename)).toMatchObject(refusal('noStructure'))
  expect((await rest.post(`${doc}/tables/T/records`, rows(1))).status).toBe(200)
})

it('keeps a key from everything but the contents of documents', async () => {
  const doc = await twoTables()
  const rest = await capped({ rowsPerCall: 1 })

  expect(await rest.delete(doc)).toMatchObject({
    status: 403,
    body: { details: { reason: 'KEY_SCOPE' } },
  })
  expect((await rest.patch(doc, { body: { name: 'Other' } })).status).toBe(403)
  expect((await rest.get(`${doc}/webhooks`)).status).toBe(403)
  expect((await rest.get('/api/profile/apikeys')).status).toBe(403)
})

it('keeps a key from marking attachments and from removing a webhook by its unsubscribe key', async () => {
  const doc = await twoTables()
  const rest = await capped({ rowsPerCall: 1 })
  const refused = { status: 403, body: { details: { reason: 'KEY_SCOPE' } } }
  expect(await rest.post(`${doc}/attachments/updateUsed`)).toMatchObject(refused)
  const hook = { url: 'https://hooks.example/', eventTypes: ['add'], enabled: false }
  const { body } = await system.alice.rest.post<{
    triggerId: number
    unsubscribeKey: string
    webhookId: string
  }>(`${doc}/tables/T/_subscribe`, { body: hook })
  const { webhookId, unsubscribeKey } = body
  const unsubscribe = { body: { webhookId, unsubscribeKey } }
  expect(await rest.post(`${doc}/tables/T/_unsubscribe`, unsubscribe)).toMatchObject(refused)
  expect((await system.alice.rest.post(`${doc}/tables/T/_unsubscribe`, unsubscribe)).status).toBe(
    200,
  )
})
