import { createRest } from '@sheaf/testkit/rest'
import { addRecords, addTable, newDocument, useSystem } from '../support/system'

const system = useSystem()

async function newPeople(): Promise<string> {
  const { rest } = system.alice
  const doc = await newDocument(rest)
  await addTable(rest, doc, 'People', { Name: 'Text', Boss: 'Ref:People' })
  return doc
}

describe('types of a document', () => {
  it('are a module of TypeScript, a module of Python and a JSON Schema', async () => {
    const { rest } = system.alice
    const doc = await newPeople()
    const typescript = await rest.get(`${doc}/types.ts`)
    expect(typescript.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(typescript.text).toContain('Boss: RowId<"People">')
    const python = await rest.get(`${doc}/types.py`)
    expect(python.text).toContain('PeopleRecord = _t.TypedDict("PeopleRecord", {')
    const schema = await rest.get(`${doc}/tables/People/schema`)
    expect(schema.headers.get('content-type')).toBe('application/schema+json; charset=utf-8')
    expect(JSON.parse(schema.text)).toMatchObject({
      title: 'People',
      properties: { Name: { type: ['string', 'null'] } },
    })
  })

  it.each(['/types.ts', '/types.py', '/tables/People/schema'])(
    'keep their ETag while only records change: %s',
    async (path) => {
      const { rest } = system.alice
      const doc = await newPeople()
      const etag = (await rest.get(doc + path)).headers.get('etag') ?? ''
      await addRecords(rest, `${doc}/tables/People`, [{ Name: 'Ada' }])
      // A compressed answer has the same one.
      expect(etag).toMatch(/^W\/"[\w-]{27}"$/)
      const again = await rest.get(doc + path, { headers: { 'if-none-match': `"x", ${etag}` } })
      expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', etag])
      expect(again.headers.get('vary')).toContain('Accept-Encoding')
      const choices = { type: 'Choice', widgetOptions: '{"choices":["a"]}' }
      const body = { columns: [{ id: 'Team', fields: choices }] }
      await rest.post(`${doc}/tables/People/columns`, { body })
      const changed = await rest.get(doc + path, { headers: { 'if-none-match': etag } })
      expect(changed.status).toBe(200)
      expect(changed.text).toContain('Team')
    },
  )

  it('are there for viewers only, and name a table that does not exist', async () => {
    const { rest } = system.alice
    const doc = await newPeople()
    expect((await system.dan.rest.get(`${doc}/types.ts`)).status).toBe(403)
    expect((await createRest(system.sheaf.url).get(`${doc}/types.py`)).status).toBe(403)
    const missing = await rest.get(`${doc}/tables/Peple/schema`)
    expect(missing).toMatchObject({
      status: 404,
      body: { details: { reason: 'TABLE_NOT_FOUND' } },
    })
  })
})
