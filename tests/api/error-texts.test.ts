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
