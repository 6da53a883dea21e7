import { ReadRecordsRequest } from '@sheaf/protos/sheaf/document_data/v1/records'
import { TestInstance } from '../support/test-instance'

/** More than are counted anew each time. */
const ROWS = Array.from({ length: 2_000 }, (_, at) => ({ T: `t${at}` }))

let instance: TestInstance
let docId = ''
beforeAll(async () => {
  instance = await TestInstance.start()
  docId = await instance.clients.createDocument()
})
afterAll(() => instance[Symbol.asyncDispose]())

/** The number that comes with a page of a table. */
async function count(tableId: string, filter?: object): Promise<number | undefined> {
  const filterJson = Buffer.from(filter ? JSON.stringify(filter) : '')
  const view = { fields: [], onlyFields: false, count: true, cursor: '', offset: 0 }
  const request = ReadRecordsRequest.fromPartial({ docId, tableId, limit: 3, filterJson, view })
  const { clients } = instance
  const call = await clients.as(docId, 'viewers')
  let text = ''
  for await (const { chunk } of clients.records.readRecords(request, call)) text += chunk.toString()
  const page = JSON.parse(text) as { records: unknown[]; totalCount?: number }
  expect(page.records).toHaveLength(3)
  return page.totalCount
}

describe('the number of rows of a table', () => {
  it('is right after rows were added, removed and added again by undoing', async () => {
    const { clients } = instance
    await clients.addTable(docId, 'Counted', { T: 'Text' })
    await clients.add(docId, 'Counted', ROWS)
    // The first time it is counted, then it is known.
    expect([await count('Counted'), await count('Counted')]).toEqual([2_000, 2_000])
    await clients.add(docId, 'Counted', ROWS.slice(0, 7))
    expect(await count('Counted')).toBe(2_007)
    const seq = await clients.remove(docId, 'Counted', [1, 2, 3])
    expect([await count('Counted'), await count('Counted', { T: ['t5', 't9', 't11'] })]).toEqual([
      2_004, 4,
    ])
    const call = await clients.as(docId, 'editors')
    await clients.history.revertChange({ docId, seq }, call)
    expect(await count('Counted')).toBe(2_007)
  })

  it('is right after the removal of its table was undone', async () => {
    const { clients } = instance
    await clients.addTable(docId, 'Back', { T: 'Text' })
    await clients.add(docId, 'Back', ROWS)
    expect([await count('Back'), await count('Back')]).toEqual([2_000, 2_000])
    const call = await clients.as(docId, 'editors')
    const bodyJson = Buffer.from(JSON.stringify([['RemoveTable', 'Back']]))
    const { seq } = await clients.actions.applyActions({ docId, bodyJson, noParse: false }, call)
    await clients.history.revertChange({ docId, seq }, call)
    expect([await count('Back'), await count('Back')]).toEqual([2_000, 2_000])
  })
})
