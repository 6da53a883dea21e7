import { addTable, newDocument, useSystem } from '../support/system'

const system = useSystem()

interface Refusal {
  readonly error: string
  readonly details: { readonly reason: string; readonly [name: string]: unknown }
}

let doc = ''
beforeAll(async () => {
  doc = await newDocument(system.alice.rest)
  await addTable(system.alice.rest, doc, 'People', { Name: 'Text', City: 'Text' })
})

describe('a body that does not fit', () => {
  it('has its first reason in the message, in words for people', async () => {
    const { rest } = system.alice
    const records = `${doc}/tables/People/records`
    const errorOf = async (body: object) => (await rest.post<Refusal>(records, { body })).body.error
    expect(await errorOf({})).toBe('Invalid payload: body.records is missing')
    expect(await errorOf({ records: [{ fields: { Name: ['Ada'] } }] })).toMatch(
      /^Invalid payload: body\.records\[0\]\.fields\.Name is not a cell value: .*\["L", "a", "b"\]$/,
    )
    const wrong = await rest.post<Refusal>(`${doc}/tables`, { body: { tables: [{ columns: 1 }] } })
    expect(wrong.body.error).toBe('Invalid payload: body.tables[0].columns is not an array')
  })
})

describe('a method that a path does not have', () => {
  it('is a 405 with the methods that it has, and the call that was probably meant', async () => {
    const { rest } = system.alice
    const { status, headers, body } = await rest.delete<Refusal>(`${doc}/tables/People/columns`)
    expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS, PATCH, POST, PUT'])
    expect(body).toEqual({
      error:
        'DELETE is not allowed here: this path has GET, HEAD, OPTIONS, PATCH, POST, PUT; use DELETE …/columns/{columnId}',
      details: {
        reason: 'METHOD_NOT_ALLOWED',
        allowed: 'GET, HEAD, OPTIONS, PATCH, POST, PUT',
        suggestion: 'DELETE /api/docs/{docId}/tables/{tableId}/columns/{columnId}',
      },
    })
  })

  it('is a 404 with the same help where clients of the Grist API expect that', async () => {
    const { rest } = system.alice
    const records = await rest.delete<Refusal>(`${doc}/tables/People/records`)
    expect([records.status, records.headers.get('allow')]).toEqual([
      404,
      'GET, HEAD, OPTIONS, PATCH, POST, PUT',
    ])
    expect(records.body.error).toMatch(/; POST …\/records\/delete deletes$/)
    const path = `/o/docs${doc}/tables/People/data`
    const data = await rest.put<Refusal>(path, { body: {} })
    expect([data.status, data.headers.get('allow')]).toEqual([
      404,
      'GET, HEAD, OPTIONS, PATCH, POST',
    ])
    expect(data.body.error).toContain(`not found: PUT ${path}; `)
  })
})

describe('a name that is misspelt', () => {
  it.each<[string, () => Promise<{ body: Refusal }>, string]>([
    ['a table', () => system.alice.rest.get(`${doc}/tables/Peple/records`), 'People'],
    [
      'a table to export',
      () => system.alice.rest.get(`${doc}/download/csv?tableId=people`),
      'People',
    ],
    [
      'a column to write',
      () =>
        system.alice.rest.post(`${doc}/tables/People/records`, {
          body: { records: [{ fields: { Nmae: 'Ada' } }] },
        }),
      'Name',
    ],
    [
      'a column to look up',
      () =>
        system.alice.rest.put(`${doc}/tables/People/records`, {
          body: { records: [{ require: { Citty: 'Rome' } }] },
        }),
      'City',
    ],
    [
      'a column of a filter',
      () => system.alice.rest.get(`${doc}/tables/People/records?filter={"city":["Rome"]}`),
      'City',
    ],
    ['a sort key', () => system.alice.rest.get(`${doc}/tables/People/records?sort=-Nam`), 'Name'],
    [
      'a column to change',
      () =>
        system.alice.rest.patch(`${doc}/tables/People/columns`, {
          body: { columns: [{ id: 'Ctiy', fields: { label: 'x' } }] },
        }),
      'City',
    ],
    [
      'a column to remove',
      () => system.alice.rest.delete(`${doc}/tables/People/columns/Cit`),
      'City',
    ],
    [
      'a type',
      () =>
        system.alice.rest.post(`${doc}/tables/People/columns`, {
          body: { columns: [{ id: 'Age', fields: { type: 'Numerik' } }] },
        }),
      'Numeric',
    ],
    ['a table in SQL', () => system.alice.rest.get(`${doc}/sql?q=select * from Poeple`), 'People'],
    [
      'a column in SQL',
      () => system.alice.rest.get(`${doc}/sql?q=select p.Citi from People p`),
      'City',
    ],
    [
      'an action',
      () => system.alice.rest.post(`${doc}/apply`, { body: [['AddRecords', 'People', null, {}]] }),
      'AddRecord',
    ],
    [
      'a parameter of a strict request',
      () =>
        system.alice.rest.get(`${doc}/tables/People/records?limt=1`, {
          headers: { prefer: 'handling=strict' },
        }),
      'limit',
    ],
    [
      'the table of a webhook',
      () =>
        system.alice.rest.post(`${doc}/webhooks`, {
          body: {
            webhooks: [
              { fields: { url: 'https://example.com/', eventTypes: ['add'], tableId: 'Poeple' } },
            ],
          },
        }),
      'People',
    ],
  ])('is answered with the name that was probably meant: %s', async (_, call, suggestion) => {
    const { body } = await call()
    expect(body).toMatchObject({
      error: expect.stringMatching(new RegExp(`; did you mean "${suggestion}"\\?$`)) as string,
      details: { suggestion },
    })
  })

  it('gets no suggestion when nothing resembles it, nor one of hidden columns or other documents', async () => {
    const { rest } = system.alice
    const other = await newDocument(rest)
    await addTable(rest, other, 'Secrets', { Code: 'Text' })
    for (const path of [
      `${doc}/tables/Nope/records`,
      `${doc}/tables/Secret/records`,
      `${doc}/tables/People/records?sort=manualSrt`,
      `${doc}/sql?q=select manualSrt from People`,
      `${doc}/sql?q=select * from Secret`,
    ]) {
      const { status, body } = await rest.get<Refusal>(path)
      expect([path, status >= 400, body.details.suggestion]).toEqual([path, true, undefined])
      expect(body.error).not.toContain('did you mean')
    }
  })
})

describe('a request without any key', () => {
  it('is told so where a key might have helped, with the same statuses', async () => {
    const anonymous = system.anonymous
    for (const [{ status, body }, expected] of [
      [await anonymous.get<Refusal>(`${doc}/tables`), 403],
      [await anonymous.get<Refusal>(doc), 403],
      [await anonymous.post<Refusal>('/api/orgs', { body: { name: 'x' } }), 401],
      [await anonymous.post<Refusal>(`${doc}/tables`, { body: Buffer.from('{}') }), 401],
    ] as const) {
      expect(status).toBe(expected)
      expect(body.error).toMatch(/; the request has neither an API key .* nor a session$/)
      expect(body.details.credential).toBe('none')
    }
    const { body } = await system.dan.rest.get<Refusal>(`${doc}/tables`)
    expect(body).toEqual({ error: 'No view access', details: { reason: 'ACCESS_DENIED' } })
  })
})

describe('an error about a limit, a value or a setting', () => {
  it('names the values that are accepted', async () => {
    const { rest } = system.alice
    const delta = { users: { [system.dan.email]: 'kings' } }
    const role = await rest.patch<Refusal>(`${doc}/access`, { body: { delta } })
    expect(role.body).toMatchObject({
      error: 'Invalid user role kings; allowed: owners, editors, viewers, members or null',
      details: { allowed: 'owners, editors, viewers, members' },
    })
    const upload = await rest.post<Refusal>(`${doc}/attachments`, { body: {} })
    expect(upload.body).toMatchObject({
      error: 'unsupported content-type "application/json"; send multipart/form-data',
      details: { allowed: 'multipart/form-data' },
    })
  })

  it('names the setting that decides', async () => {
    const { rest } = system.alice
    const fields = { url: 'http://10.0.0.1/', eventTypes: ['add'], tableId: 'People' }
    const refused = await rest.post<Refusal>(`${doc}/webhooks`, {
      body: { webhooks: [{ fields }] },
    })
    expect([refused.status, refused.body]).toEqual([
      403,
      {
        error:
          'Provided url is forbidden: it must be https to a public host, or to one in SHEAF_WEBHOOK_ALLOWED_HOSTS',
        details: { reason: 'URL_FORBIDDEN', field: 'url', setting: 'SHEAF_WEBHOOK_ALLOWED_HOSTS' },
      },
    ])
  })
})
