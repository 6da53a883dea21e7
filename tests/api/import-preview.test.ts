import { homeWorkspace, useOwnSystem } from '../support/system'

interface Preview {
  readonly options: object
  readonly tables: { readonly id: string; readonly records: { readonly fields: object }[] }[]
  readonly hasMore: boolean
}

const system = useOwnSystem()

function formOf(content: string, fields: Record<string, string> = {}): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  form.set('upload', new Blob([content]), 'Prices.csv')
  return form
}

const CONTENT = 'Item;Code;Price\nApples;007;1.234,50\nPears;8;0,75\n'

describe('a preview of an import', () => {
  it('shows what the import then stores, in a workspace and in a document', async () => {
    const { rest } = system.alice
    const workspace = await homeWorkspace(rest)
    const documents = async () =>
      (await rest.get<{ docs: object[] }>(`/api/workspaces/${workspace}`)).body.docs.length
    const before = await documents()
    const options = JSON.stringify({ types: { Prices: { Code: 'Int' } } })
    const path = `/api/workspaces/${workspace}/import`
    const body = () => formOf(CONTENT, { options })
    const previewed = await rest.post<Preview>(`${path}/preview`, { body: body() })
    expect(previewed).toMatchObject({
      status: 200,
      body: {
        format: 'csv',
        options: { delimiter: ';', header: true, decimal: ',', encoding: 'utf-8' },
        hasMore: false,
        notes: [],
        tables: [{ id: 'Prices', rows: 2 }],
      },
    })
    expect(await documents()).toBe(before)
    const { records } = previewed.body.tables[0] ?? { records: [] }
    expect(records).toEqual([
      { id: 1, fields: { Item: 'Apples', Code: 7, Price: 1234.5 } },
      { id: 2, fields: { Item: 'Pears', Code: 8, Price: 0.75 } },
    ])
    const made = await rest.post<{ id: string }>(path, { body: body() })
    const doc = `/api/docs/${made.body.id}`
    const stored = await rest.get<{ records: object[] }>(`${doc}/tables/Prices/records`)
    expect(stored.body.records).toEqual(records)
    const again = await rest.post<Preview>(`${doc}/import/preview`, { body: body() })
    expect(again.body.tables).toEqual(previewed.body.tables)
  })

  it('of the beginning of a file says that there is more', async () => {
    const path = `/api/workspaces/${await homeWorkspace(system.alice.rest)}/import/preview`
    const body = formOf(CONTENT.slice(0, -6), { part: 'true' })
    const { body: preview } = await system.alice.rest.post<Preview>(path, { body })
    expect(preview).toMatchObject({ hasMore: true, tables: [{ rows: 1 }] })
  })

  it.each<[string, Record<string, string>, string]>([
    ['no JSON', { options: '{' }, 'MALFORMED_JSON'],
    ['no object', { options: 'null' }, 'MALFORMED_JSON'],
    ['an unknown option', { options: '{"quote":"x"}' }, 'BAD_FIELD'],
    ['a bad separator', { options: '{"decimal":"x"}' }, 'BAD_FIELD'],
    ['a bad delimiter', { options: '{"delimiter":"ab"}' }, 'BAD_FIELD'],
    ['an unknown column', { options: '{"types":{"Prices":{"X":"Int"}}}' }, 'BAD_FIELD'],
    [
      'an unknown type',
      { options: '{"types":{"Prices":{"Item":"Money"}}}' },
      'UNKNOWN_COLUMN_TYPE',
    ],
    ['a bad flag', { part: 'yes' }, 'BAD_FIELD'],
  ])('refuses %s', async (_, fields, reason) => {
    const path = `/api/workspaces/${await homeWorkspace(system.alice.rest)}/import`
    for (const end of fields.part === undefined ? ['', '/preview'] : ['/preview']) {
      const body = formOf(CONTENT, fields)
      const reply = await system.alice.rest.post(`${path}${end}`, { body })
      expect(reply).toMatchObject({ status: 400, body: { details: { reason } } })
      if (reason === 'MALFORMED_JSON')
        expect(reply).toMatchObject({ body: { details: { field: 'options' } } })
    }
  })
})
