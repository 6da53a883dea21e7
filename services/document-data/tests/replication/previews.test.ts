import type { DocumentStore } from '../../src/store/documents/document-store'
import { addValues, countRows, outcomeOf } from '../support/cluster-documents'
import { differences, startCluster, TestLease, type Cluster } from '../support/replicated-store'
import { author, buildWorkers, createTable } from '../support/test-store'

let cluster: Cluster

beforeAll(async () => {
  buildWorkers()
  cluster = await startCluster()
})

afterAll(() => cluster[Symbol.asyncDispose]())

const preview = (store: DocumentStore, docId: string) =>
  store.preview(docId, author, (doc) => {
    const write = doc.connection.prepare("INSERT INTO T (manualSort, A) VALUES (1, 'tried')")
    return Number(write.run().lastInsertRowid)
  })

/** All that the log database has of a document. */
async function stored(docId: string): Promise<unknown> {
  const find = (table: string) =>
    cluster.query(`select * from document_log.${table} where doc = $1 order by 1, 2`, [docId])
  return [await find('record'), await find('head')]
}

describe('a preview of a replicated document', () => {
  it('appends nothing to its log', async () => {
    await using store = await cluster.open('a')
    const docId = await createTable(store, 'T', { A: 'Text' })
    await addValues(store, docId, 'a')
    const before = await stored(docId)
    expect(await preview(store, docId)).toMatchObject({ result: 2 })
    expect(await stored(docId)).toEqual(before)
    await addValues(store, docId, 'b')
    await using fresh = await cluster.open('b')
    expect(await differences(store, fresh, docId)).toEqual([])
    expect(await countRows(fresh, docId)).toBe(2)
  })

  it('is refused by an instance that has lost its lease while it ran', async () => {
    const lease = new TestLease('c')
    await using store = await cluster.open('c', { lease })
    const docId = await createTable(store, 'T', { A: 'Text' })
    const trying = store.preview(docId, author, () => lease.end())
    expect(await outcomeOf(trying)).not.toBe('written')
  })
})
