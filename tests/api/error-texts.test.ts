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
