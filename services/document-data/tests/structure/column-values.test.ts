import type { ListColumnValuesRequest } from '@sheaf/protos/sheaf/document_data/v1/columns'
import { seqMoment } from '../../src/moments/find-moment'
import { buildWorkers } from '../support/test-store'
import { TestInstance } from '../support/test-instance'

interface Values {
  readonly values: readonly { readonly value: unknown; readonly count: number }[]
  readonly total: number
}

describe('the values of a column', () => {
  let instance: TestInstance
  let docId: string
  beforeAll(async () => {
    buildWorkers()
    instance = await TestInstance.start()
    const { clients } = instance
    docId = await clients.createDocument()
    await clients.addTable(docId, 'Fruit', {
      Name: 'Text',
      Kind: 'Choice',
      Tags: 'ChoiceList',
      Sold: 'Date',
    })
    await clients.add(docId, 'Fruit', [
      { Name: 'apple', Kind: 'pome', Tags: ['L', 'red', 'sweet'], Sold: '2026-01-31' },
      { Name: 'pear', Kind: 'pome', Tags: ['L', 'sweet'], Sold: '2026-01-31' },
      { Name: 'cherry', Kind: 'drupe', Tags: ['L', 'red', 'red'] },
    ])
  })
  afterAll(() => instance[Symbol.asyncDispose]())

  const ask = async (request: Partial<ListColumnValuesRequest>, role: 'viewers' | 'editors') => {
    const whole = {
      docId,
      tableId: 'Fruit',
      columnId: 'Kind',
      filterJson: Buffer.alloc(0),
      limit: 0,
      ...request,
    }
    return instance.clients.columns.listColumnValues(whole, await instance.clients.as(docId, role))
  }
  const list = async (request: Partial<ListColumnValuesRequest>) => {
    const { bodyJson } = await ask(request, 'viewers')
    return JSON.parse(bodyJson.toString()) as Values
  }
  const filterJson = Buffer.from('{"Tags":{"has":"red"}}')

  it('are counted, the most frequent first, for the rows that pass the filter', async () => {
    expect(await list({})).toEqual({
      values: [
        { value: 'pome', count: 2 },
        { value: 'drupe', count: 1 },
      ],
      total: 2,
    })
    expect(await list({ filterJson, limit: 1 })).toEqual({
      values: [{ value: 'drupe', count: 1 }],
      total: 2,
    })
    expect((await list({ columnId: 'Sold' })).values).toEqual([
      { value: Date.UTC(2026, 0, 31) / 1000, count: 2 },
      { value: null, count: 1 },
    ])
  })

  it('are the elements of lists, each once for a row', async () => {
    expect(await list({ columnId: 'Tags' })).toEqual({
      values: [
        { value: 'red', count: 2 },
        { value: 'sweet', count: 2 },
      ],
      total: 2,
    })
  })

  it('are not sent again while the document is the same, and are read as of a former moment', async () => {
    const { etag = '', seq } = await ask({}, 'viewers')
    expect(await ask({ options: { ifNoneMatch: [etag] } }, 'viewers')).toMatchObject({
      notModified: true,
      etag,
    })
    await instance.clients.add(docId, 'Fruit', [{ Kind: 'berry' }])
    expect((await list({})).total).toBe(3)
    const options = { ifNoneMatch: [], asOf: seqMoment(seq) }
    const former = await ask({ options }, 'editors')
    expect(JSON.parse(former.bodyJson.toString())).toMatchObject({ total: 2 })
    await expect(ask({ options }, 'viewers')).rejects.toMatchObject({
      reason: 'PAST_ACCESS_DENIED',
    })
  })

  it.each<[string, Partial<ListColumnValuesRequest>, string, string]>([
    ['table', { tableId: 'Nope' }, 'TABLE_NOT_FOUND', 'Nope'],
    ['column', { columnId: 'Knid' }, 'COLUMN_NOT_FOUND', 'Kind'],
    ['filter', { filterJson: Buffer.from('{"Nope":[1]}') }, 'UNKNOWN_COLUMN', 'Nope'],
    ['limit', { limit: 1_001 }, 'INVALID_LIMIT', 'limit'],
    ['limit', { limit: -1 }, 'INVALID_LIMIT', 'limit'],
  ])('are refused for an invalid %s', async (_, request, reason, named) => {
    await expect(list(request)).rejects.toMatchObject({
      reason,
      message: expect.stringContaining(named) as string,
    })
  })
})
