import { ConflictError, InvalidRequestError, Sheaf } from '@sheaf/client'
import { homeWorkspace, useSystem } from '../support/system'

const system = useSystem()
const prices = { name: 'prices.csv', data: 'Item;Price;Code\nApples;1,50;007\nPears;2,25;8\n' }

async function begin() {
  const sheaf = new Sheaf({ url: system.sheaf.url, key: system.sheaf.ownerKey })
  const workspaceId = await homeWorkspace(system.alice.rest)
  return { sheaf, workspaceId }
}

describe('an import by the client', () => {
  it('makes the document that its preview has shown', async () => {
    const { sheaf, workspaceId } = await begin()
    const options = { types: { Prices: { Code: 'Text' } } }
    const previewed = await sheaf.documents.previewImport(prices, { workspaceId, options })
    expect(previewed).toMatchObject({
      format: 'csv',
      options: { delimiter: ';', decimal: ',' },
      tables: [{ id: 'Prices', rows: 2, records: [{ fields: { Price: 1.5, Code: '007' } }, {}] }],
    })
    const made = await sheaf.documents.import(prices, { workspaceId, name: 'Fruit', options })
    expect(made).toMatchObject({ title: 'Fruit', tables: [{ id: 'Prices', rows: 2 }] })
    const rows = await sheaf.doc(made.id).table('Prices').all()
    expect(rows).toEqual(previewed.tables[0]?.records)
  })

  it('adds tables to a document, or rows to a table of it, once for one key', async () => {
    const { sheaf, workspaceId } = await begin()
    const doc = await sheaf.documents.create({ workspaceId, name: 'Into' })
    const { options } = await doc.previewImport(prices)
    expect(options.decimal).toBe(',')
    expect((await doc.import(prices)).tables).toEqual([{ id: 'Prices', rows: 2 }])
    const target = { table: 'Prices', columns: { Code: null } }
    const idempotencyKey = `june-${doc.id}`
    const { seq } = await doc.import(prices, { target, idempotencyKey })
    expect((await doc.import(prices, { target, idempotencyKey })).seq).toBe(seq)
    expect(await doc.table('Prices').all()).toHaveLength(4)
    await expect(doc.import(prices, { idempotencyKey })).rejects.toThrow(ConflictError)
    await doc.undo(seq)
    expect(await doc.table('Prices').all()).toHaveLength(2)
  })

  it('names the field that is wrong', async () => {
    const { sheaf, workspaceId } = await begin()
    const doc = await sheaf.documents.create({ workspaceId, name: 'Wrong' })
    const options = { encoding: 'klingon' }
    const error = await doc.import(prices, { options }).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(InvalidRequestError)
    expect(error).toMatchObject({ reason: 'BAD_FIELD', details: { field: 'options.encoding' } })
  })
})
