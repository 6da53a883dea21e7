import axios from 'axios'
import { GristDocAPI, type IRecord } from 'grist-api'
import { addTable, newDocument, readRecords, useSystem } from '../support/system'

const system = useSystem()
let doc = ''
let client: GristDocAPI

/** The client as its users make it, for the document of this test. */
function connect(options: { chunkSize?: number; apiKey?: string } = {}): GristDocAPI {
  const { url: server, ownerKey: apiKey } = system.sheaf
  return new GristDocAPI(doc.replace('/api/docs/', ''), { server, apiKey, ...options })
}

// The client says of every request that it is JSON, and counts on that being ignored for forms, as it was by the axios that it
// was written for; the current one would send a form without its files.
axios.interceptors.request.use((config) => {
  if (config.data instanceof FormData) config.headers.delete('Content-Type')
  return config
})

beforeEach(async () => {
  const { rest } = system.alice
  doc = await newDocument(rest)
  await addTable(rest, doc, 'Plants', {
    Name: 'Text',
    Height: 'Numeric',
    Beds: 'ChoiceList',
    Hardy: 'Bool',
  })
  client = connect()
})

const rose = { Name: 'Rose', Height: 1.5, Beds: ['L', 'south'], Hardy: true } satisfies IRecord
const fern = {
  Name: 'Fern',
  Height: 0.5,
  Beds: ['L', 'north', 'pond'],
  Hardy: false,
} satisfies IRecord

/** The rows of the table, without what the client was not asked about. */
async function rows(): Promise<unknown[]> {
  return (await readRecords(system.alice.rest, `${doc}/tables/Plants`)).map(({ id, fields }) => ({
    id,
    ...fields,
  }))
}

describe('the npm client grist-api', () => {
  it('adds records and gives their ids', async () => {
    expect(await client.addRecords('Plants', [rose, fern])).toEqual([1, 2])
    expect(await rows()).toEqual([
      { id: 1, ...rose },
      { id: 2, ...fern },
    ])
  })

  it('adds many records in several requests, in their order', async () => {
    const names = Array.from({ length: 7 }, (_, i) => `Plant ${i}`)
    const added = await connect({ chunkSize: 3 }).addRecords(
      'Plants',
      names.map((Name) => ({ Name })),
    )
    expect(added).toEqual([1, 2, 3, 4, 5, 6, 7])
    expect((await client.fetchTable('Plants')).map(({ Name }) => Name)).toEqual(names)
  })

  it('fetches a table as it is, and what a filter allows', async () => {
    await client.addRecords('Plants', [rose, fern])
    const fetched = await client.fetchTable('Plants')
    expect(fetched).toEqual([
      { id: 1, manualSort: 1, ...rose },
      { id: 2, manualSort: 2, ...fern },
    ])
    expect(await client.fetchTable('Plants', { Name: ['Fern', 'Moss'] })).toEqual([fetched[1]])
    expect(await client.fetchTable('Plants', { Hardy: [true], Name: ['Fern'] })).toEqual([])
  })

  it('updates records, also of different columns', async () => {
    await client.addRecords('Plants', [rose, fern])
    await client.updateRecords('Plants', [
      { id: 1, Height: 2 },
      { id: 2, Name: 'Tree fern', Hardy: true },
    ])
    expect(await rows()).toEqual([
      { id: 1, ...rose, Height: 2 },
      { id: 2, ...fern, Name: 'Tree fern', Hardy: true },
    ])
  })

  it('syncs a table: changes what is there, adds what is not, and leaves the rest', async () => {
    await client.addRecords('Plants', [rose, fern])
    await client.syncTable(
      'Plants',
      [
        { Name: 'Rose', Height: 1.75 },
        { Name: 'Ivy', Height: 9, Hardy: true },
      ],
      ['Name'],
    )
    expect(await rows()).toMatchObject([
      { id: 1, ...rose, Height: 1.75 },
      { id: 2, ...fern },
      { id: 3, Name: 'Ivy', Height: 9, Hardy: true },
    ])
  })

  it('syncs what a filter allows, and ignores the rest', async () => {
    await client.addRecords('Plants', [rose, fern, { ...fern, Hardy: true }])
    await client.syncTable(
      'Plants',
      [
        { Name: 'Fern', Hardy: true, Height: 0.75 },
        { Name: 'Rose', Hardy: false, Height: 7 },
      ],
      ['Name', 'Hardy'],
      { filters: { Hardy: [true] } },
    )
    expect(await rows()).toMatchObject([{ Height: 1.5 }, { Height: 0.5 }, { Height: 0.75 }])
  })

  it('changes nothing by a sync of what is already so', async () => {
    await client.addRecords('Plants', [rose, fern])
    const before = await rows()
    await client.syncTable('Plants', [rose, fern], ['Name'])
    expect(await rows()).toEqual(before)
  })

  it('deletes records', async () => {
    await client.addRecords('Plants', [rose, fern, rose])
    await client.deleteRecords('Plants', [1, 3])
    expect(await rows()).toEqual([{ id: 2, ...fern }])
  })

  it('attaches files, which cells can refer to', async () => {
    const files = [new File(['aaa'], 'a.txt'), new File(['<b>'], 'b.html', { type: 'text/html' })]
    expect(await client.attach(files)).toEqual([1, 2])
    await addTable(system.alice.rest, doc, 'Photos', { Pics: 'Attachments' })
    await client.addRecords('Photos', [{ Pics: ['L', 2, 1] }])
    expect(await client.fetchTable('Photos')).toMatchObject([{ Pics: ['L', 2, 1] }])
    const { text } = await system.alice.rest.get(`${doc}/attachments/1/download`)
    expect(text).toBe('aaa')
  })

  it('finds a document by the address of its page', async () => {
    const { url, ownerKey: apiKey } = system.sheaf
    const byAddress = new GristDocAPI(`${url}/doc/${client.docId}/Garden`, { apiKey })
    expect(byAddress.docId).toBe(client.docId)
    expect(await byAddress.addRecords('Plants', [rose])).toEqual([1])
  })

  it('tells what was wrong, and nothing has changed', async () => {
    await expect(client.fetchTable('Weeds')).rejects.toThrow('404 / Grist: Table not found "Weeds"')
    await expect(client.addRecords('Plants', [{ Name: 'x', Roots: 1 }])).rejects.toThrow(
      /400 \/ Grist: .*Roots/,
    )
    await expect(client.updateRecords('Plants', [{ id: 99, Name: 'x' }])).rejects.toThrow(
      /400 \/ Grist: .*99/,
    )
    await expect(connect({ apiKey: 'wrong' }).fetchTable('Plants')).rejects.toThrow(
      /401 \/ Grist: .*invalid API key/,
    )
    expect(await rows()).toEqual([])
  })
})
