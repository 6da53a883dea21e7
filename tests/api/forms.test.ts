import { randomUUID } from 'node:crypto'
import { eventually } from '@sheaf/testkit/eventually'
import { createRest, type Rest, type RestReply } from '@sheaf/testkit/rest'
import { newDocument, readRecords, useSystem } from '../support/system'

const system = useSystem()
let rest: Rest
let anyone: Rest
let doc = ''
let viewId = 0

interface Link {
  readonly link: { readonly key: string; readonly url: string; readonly createdAt: string } | null
}

const linkPath = () => `${doc}/forms/${viewId}/link`
const share = async (body: object = {}) => (await rest.post<Link>(linkPath(), { body })).body.link
const keyOf = async () => (await share())?.key ?? ''
const send = (key: string, fields: object, headers: Record<string, string> = {}) =>
  anyone.post<unknown>(`/api/forms/${key}/rows`, { body: { fields }, headers })
const reasonOf = ({ status, body }: RestReply) => [
  status,
  (body as { details?: { reason?: string } }).details?.reason,
]

beforeEach(async () => {
  ;({ rest } = system.alice)
  anyone = createRest(system.sheaf.url)
  doc = await newDocument(rest)
  const columns = [
    { id: 'Name', fields: { type: 'Text', label: 'Full name' } },
    { id: 'Guests', fields: { type: 'Int' } },
    { id: 'Secret', fields: { type: 'Text' } },
  ]
  await rest.post(`${doc}/tables`, { body: { tables: [{ id: 'Party', columns }] } })
  const form = { title: 'Join us', fields: [{ id: 'Name', required: true }, { id: 'Guests' }] }
  const views = [{ fields: { name: 'Sign up', type: 'form', form } }]
  const added = await rest.post<{ views: { id: number }[] }>(`${doc}/tables/Party/views`, {
    body: { views },
  })
  viewId = added.body.views[0]?.id ?? 0
})

describe('a form with a link', () => {
  it('is read and sent by everyone who has it, and tells nothing else', async () => {
    const link = await share()
    expect(link?.url).toBe(`${system.sheaf.url}/forms/${link?.key}`)
    const key = link?.key ?? ''
    const shown = await anyone.get(`/api/forms/${key}`)
    expect(shown.body).toEqual({
      title: 'Join us',
      description: '',
      submit: '',
      message: '',
      again: false,
      fields: [
        {
          id: 'Name',
          label: 'Full name',
          help: '',
          required: true,
          multiline: false,
          type: 'Text',
        },
        { id: 'Guests', label: 'Guests', help: '', required: false, multiline: false, type: 'Int' },
      ],
    })
    expect(shown.headers.get('etag')).toBeNull()
    const sent = await send(key, { Name: 'Ada', Guests: 2 })
    expect([sent.status, sent.body, sent.headers.get('etag')]).toEqual([200, null, null])
    expect(await readRecords(rest, `${doc}/tables/Party`)).toMatchObject([
      { fields: { Name: 'Ada', Guests: 2, Secret: '' } },
    ])
  })

  it('makes changes that the history names, and streams and undo treat as any other', async () => {
    await send(await keyOf(), { Name: 'Ada' })
    const { body } = await rest.get<{ changes: { seq: number; cause: string; user: object }[] }>(
      `${doc}/history`,
    )
    const [change] = body.changes
    expect(change).toMatchObject({ cause: 'form', user: { email: 'anon@getgrist.com' } })
    await rest.post(`${doc}/changes/${change?.seq}/revert`, { body: {} })
    expect(await readRecords(rest, `${doc}/tables/Party`)).toEqual([])
  })

  it('adds a row once for the same key, and refuses that key for other values', async () => {
    const key = await keyOf()
    const headers = { 'Idempotency-Key': randomUUID() }
    for (let time = 0; time < 3; time++)
      expect((await send(key, { Name: 'Ada' }, headers)).status).toBe(200)
    expect(await readRecords(rest, `${doc}/tables/Party`)).toHaveLength(1)
    expect((await send(key, { Name: 'Bob' }, headers)).status).toBe(422)
  })

  it('names the field of a value that does not fit', async () => {
    const key = await keyOf()
    const field = { details: { reason: 'INVALID_FORM_VALUE', field: 'Guests' } }
    expect(await send(key, { Name: 'Ada', Guests: 'two' })).toMatchObject({
      status: 400,
      body: field,
    })
    expect(await send(key, { Guests: 1 })).toMatchObject({
      status: 400,
      body: { details: { field: 'Name' } },
    })
    expect(await send(key, { Name: 'Ada', Secret: 'x' })).toMatchObject({
      status: 400,
      body: { details: { field: 'Secret' } },
    })
    const hidden = await anyone.post(`/api/forms/${key}/rows`, {
      body: '{"fields":{"Name":"Ada","__proto__":"x"}}',
      headers: { 'content-type': 'application/json' },
    })
    expect(hidden).toMatchObject({
      status: 400,
      body: { details: { reason: 'UNKNOWN_PROPERTY', field: 'body.fields.__proto__' } },
    })
    const body = { fields: { Name: 'Ada' }, table: 'Other' }
    expect((await anyone.post(`/api/forms/${key}/rows`, { body })).status).toBe(400)
    expect((await send(key, { Name: 'x'.repeat(300_000) })).status).toBe(413)
    expect(await readRecords(rest, `${doc}/tables/Party`)).toEqual([])
  })

  it('ends when it is renewed, switched off, or its form is gone, and answers as if it never was', async () => {
    const gone = [404, 'FORM_NOT_FOUND']
    const first = await keyOf()
    expect((await share())?.key).toBe(first)
    const second = (await share({ renew: true }))?.key ?? ''
    const unknown = await anyone.get(`/api/forms/${'x'.repeat(32)}`)
    expect(reasonOf(unknown)).toEqual(gone)
    const ended = await anyone.get(`/api/forms/${first}`)
    expect([ended.status, ended.body]).toEqual([unknown.status, unknown.body])
    expect(reasonOf(await send(first, { Name: 'a' }))).toEqual(gone)
    expect((await send(second, { Name: 'a' })).status).toBe(200)
    await rest.patch(`${doc}/tables/Party/views`, {
      body: { views: [{ id: viewId, fields: { type: 'grid' } }] },
    })
    expect(reasonOf(await anyone.get(`/api/forms/${second}`))).toEqual(gone)
    await rest.patch(`${doc}/tables/Party/views`, {
      body: { views: [{ id: viewId, fields: { type: 'form' } }] },
    })
    expect((await anyone.get(`/api/forms/${second}`)).status).toBe(200)
    await rest.delete(linkPath())
    expect(reasonOf(await anyone.get(`/api/forms/${second}`))).toEqual(gone)
    expect((await rest.get<Link>(linkPath())).body).toEqual({ link: null })
    const third = await keyOf()
    await rest.post(`${doc}/remove`, { body: {} })
    expect(reasonOf(await anyone.get(`/api/forms/${third}`))).toEqual(gone)
    expect(reasonOf(await anyone.get('/api/forms/short'))).toEqual(gone)
  })

  it('does nothing with other credentials that the request has', async () => {
    const key = await keyOf()
    const { body } = await rest.post<unknown>(`/api/forms/${key}/rows`, {
      body: { fields: { Name: 'a' } },
    })
    expect(body).toBeNull()
    const history = await rest.get<{ changes: { user: { email: string } }[] }>(`${doc}/history`)
    expect(history.body.changes[0]?.user.email).toBe('anon@getgrist.com')
    // A page of another site can send a form, but not one of JSON.
    const plain = await fetch(`${system.sheaf.url}/api/forms/${key}/rows`, {
      method: 'POST',
      body: '{"fields":{"Name":"a"}}',
    })
    expect(plain.status).toBe(401)
  })

  it('is made for a form that exists', async () => {
    const path = (id: number) => `${doc}/forms/${id}/link`
    expect(reasonOf(await rest.post(path(999), { body: {} }))).toEqual([404, 'FORM_NOT_FOUND'])
    expect(reasonOf(await rest.get(path(999)))).toEqual([404, 'FORM_NOT_FOUND'])
    expect(reasonOf(await rest.delete(path(999)))).toEqual([404, 'FORM_NOT_FOUND'])
    expect((await rest.get(path(viewId))).body).toEqual({ link: null })
    expect((await rest.delete(path(viewId))).status).toBe(200)
    const views = [{ fields: { name: 'Grid' } }]
    const added = await rest.post<{ views: { id: number }[] }>(`${doc}/tables/Party/views`, {
      body: { views },
    })
    const grid = added.body.views[0]?.id ?? 0
    expect(reasonOf(await rest.post(path(grid), { body: {} }))).toEqual([404, 'FORM_NOT_FOUND'])
  })

  it('is stored by no browser', async () => {
    const kept = [
      await rest.get(linkPath()),
      await rest.post(linkPath(), { body: {} }),
      await rest.get(linkPath()),
    ].filter(({ headers }) => headers.get('cache-control') !== 'no-store')
    expect(kept).toEqual([])
  })

  it('lets one network add so many rows a minute, and no more', async () => {
    const key = await keyOf()
    // One row a second is permitted again: a slow machine sends too few one after another.
    const refused = await eventually(async () => {
      const replies = await Promise.all(Array.from({ length: 20 }, () => send(key, {})))
      return replies.find(({ status }) => status === 429) ?? false
    })
    expect(refused).toMatchObject({ status: 429, body: { details: { reason: 'RATE_LIMITED' } } })
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  })
})
