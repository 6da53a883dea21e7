import type { ListGroupsRequest } from '@sheaf/protos/sheaf/document_data/v1/records'
import { seqMoment } from '../../src/moments/find-moment'
import { buildWorkers } from '../support/test-store'
import { TestInstance } from '../support/test-instance'

describe('groups of records', () => {
  let instance: TestInstance
  let docId: string
  beforeAll(async () => {
    buildWorkers()
    instance = await TestInstance.start()
    const { clients } = instance
    docId = await clients.createDocument()
    await clients.addTable(docId, 'Fruit', { Name: 'Text', Kind: 'Choice', Price: 'Numeric' })
    await clients.add(docId, 'Fruit', [
      { Name: 'apple', Kind: 'pome', Price: 2 },
      { Name: 'pear', Kind: 'pome', Price: 3.5 },
      { Name: 'cherry', Kind: 'drupe', Price: null },
    ])
  })
  afterAll(() => instance[Symbol.asyncDispose]())

  const ask = async (request: Partial<ListGroupsRequest>, role: 'viewers' | 'editors') => {
    const whole = {
      docId,
      tableId: 'Fruit',
      groupBy: ['Kind'],
      aggregates: ['Price:sum;filled'],
      filterJson: Buffer.alloc(0),
      limit: 0,
      ...request,
    }
    return instance.clients.records.listGroups(whole, await instance.clients.as(docId, role))
  }
  const list = async (request: Partial<ListGroupsRequest>) => {
    const { bodyJson } = await ask(request, 'viewers')
    return JSON.parse(bodyJson.toString()) as unknown
  }

  it('have counts and aggregates, in the order of the records, and so has their total', async () => {
    expect(await list({})).toEqual({
      groups: [
        { value: 'drupe', count: 1, aggregates: { Price: { sum: null, filled: 0 } } },
        { value: 'pome', count: 2, aggregates: { Price: { sum: 5.5, filled: 2 } } },
      ],
      truncated: false,
      total: { count: 3, aggregates: { Price: { sum: 5.5, filled: 2 } } },
    })
    expect(await list({ groupBy: [] })).toEqual({
      groups: [],
      truncated: false,
      total: { count: 3, aggregates: { Price: { sum: 5.5, filled: 2 } } },
    })
  })

  it('are those of the records that pass filter and search', async () => {
    const total = (count: number) => ({ total: { count } })
    const filterJson = Buffer.from('{"Price":{"gt":2}}')
    expect(await list({ filterJson })).toMatchObject(total(1))
    expect(await list({ search: { text: 'APP', columns: [] } })).toMatchObject(total(1))
    expect(await list({ search: { text: 'APP', columns: ['Kind'] } })).toMatchObject(total(0))
  })

  it('are not sent again while the document is the same, and are read as of a former moment', async () => {
    const { etag = '', seq } = await ask({}, 'viewers')
    expect(await ask({ options: { ifNoneMatch: [etag] } }, 'viewers')).toMatchObject({
      notModified: true,
      etag,
    })
    await instance.clients.add(docId, 'Fruit', [{ Kind: 'berry' }])
    const options = { ifNoneMatch: [], asOf: seqMoment(seq) }
    const former = await ask({ options }, 'editors')
    expect(JSON.parse(former.bodyJson.toString())).toMatchObject({ total: { count: 3 } })
    await expect(ask({ options }, 'viewers')).rejects.toMatchObject({
      reason: 'PAST_ACCESS_DENIED',
    })
  })

  it.each<[string, Partial<ListGroupsRequest>, string, string]>([
    ['table', { tableId: 'Nope' }, 'TABLE_NOT_FOUND', 'Nope'],
    ['column', { groupBy: ['Nope'] }, 'UNKNOWN_SORT_KEY', 'Nope'],
    ['aggregate', { aggregates: ['Name:sum'] }, 'INVALID_AGGREGATE', 'Name'],
    ['filter', { filterJson: Buffer.from('{"Nope":[1]}') }, 'UNKNOWN_COLUMN', 'Nope'],
    ['search', { search: { text: '', columns: [] } }, 'BAD_FIELD', 'search'],
    ['limit', { limit: 10_001 }, 'INVALID_LIMIT', 'limit'],
    ['limit', { limit: -1 }, 'INVALID_LIMIT', 'limit'],
  ])('are refused for an invalid %s', async (_, request, reason, named) => {
    await expect(list(request)).rejects.toMatchObject({
      reason,
      message: expect.stringContaining(named) as string,
    })
  })
})
