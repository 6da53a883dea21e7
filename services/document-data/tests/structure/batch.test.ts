import { AppError } from '@sheaf/kit/errors'
import { tempDir, type TempDir } from '@sheaf/testkit/temp-dir'
import fc from 'fast-check'
import { readBatch } from '../../src/bodies/batch-body'
import { quoteId } from '../../src/quoting/quote'
import { applyBatch, type BatchResult } from '../../src/store/batch/batch'
import type { DocumentStore } from '../../src/store/documents/document-store'
import { author, createTable, openStore } from '../support/test-store'

const tables = ['People', 'Teams', 'New']
const name = fc.constantFrom(null, 'Ann', 'Bob', '$5', '$a')
const anyRow = fc.oneof(fc.integer({ min: 1, max: 6 }), fc.constantFrom('$a', '$b'))
const fields = fc.record({ Name: name, Friend: anyRow }, { requiredKeys: [] })
const table = fc.constantFrom('People', 'People', 'Teams')
const some = <T>(item: fc.Arbitrary<T>) => fc.array(item, { minLength: 1, maxLength: 3 })
const operation = fc.oneof(
  fc.record({ op: fc.constant('addRecords'), table, records: some(fc.record({ fields })) }),
  fc.record({
    op: fc.constant('updateRecords'),
    table,
    records: some(
      fc.record(
        { id: anyRow, fields, expect: fc.record({ Name: name }) },
        { requiredKeys: ['id', 'fields'] },
      ),
    ),
  }),
  fc.record({
    op: fc.constant('addOrUpdateRecords'),
    table,
    records: some(fc.record({ require: fc.record({ Name: name }), fields })),
  }),
  fc.record({ op: fc.constant('deleteRecords'), table, records: some(fc.record({ id: anyRow })) }),
  fc.record({
    op: fc.constant('updateColumns'),
    table,
    columns: some(
      fc.record({
        id: fc.constant('Name'),
        fields: fc.record({ type: fc.constantFrom('Any', 'Int', 'Text', 'Choice') }),
      }),
    ),
  }),
  fc.constant({ op: 'addTables', tables: [{ id: 'New', columns: [{ id: 'A' }] }] }),
  fc.constant({ op: 'removeTables', tables: [{ id: 'New' }] }),
)

type Operation = object

/** The same with row ids instead of the temporary ids, all of them or, where they name rows of another table, those of records. */
function withRowIds(one: Operation, property = 'id|Friend'): Operation {
  const name = new RegExp(`("(?:${property})":)"\\$([ab])"`, 'g')
  const plain = (_: string, key: string, id: string) => `${key}${id === 'a' ? 1 : 3}`
  return JSON.parse(JSON.stringify(one).replaceAll(name, plain)) as Operation
}

/** Begins with rows under the temporary ids that the other operations use. */
const beginning: Operation[] = [
  { op: 'addRecords', table: 'People', records: [{ id: '$a' }, {}, { id: '$b' }, {}] },
]

describe('a random batch', () => {
  let folder: TempDir
  let store: DocumentStore
  beforeAll(async () => {
    folder = await tempDir()
    store = await openStore(folder.path)
  })
  afterAll(async () => {
    await store[Symbol.asyncDispose]()
    await folder[Symbol.asyncDispose]()
  })

  const newDocument = async () => {
    const docId = await createTable(store, 'People', { Name: 'Text', Friend: 'Ref:People' })
    await apply(docId, [
      {
        op: 'addTables',
        tables: [
          {
            id: 'Teams',
            columns: [
              { id: 'Name', fields: { type: 'Any' } },
              { id: 'Friend', fields: { type: 'RefList:People' } },
            ],
          },
        ],
      },
    ])
    return docId
  }

  async function apply(docId: string, operations: Operation[]): Promise<BatchResult> {
    const list = readBatch(Buffer.from(JSON.stringify({ operations })))
    const { result } = await store.transact(docId, author, (doc) =>
      applyBatch(doc, list, { noParse: false }),
    )
    return result
  }

  /** Undefined when it is refused. */
  async function tryToApply(docId: string, operations: Operation[]) {
    try {
      return await apply(docId, operations)
    } catch (error) {
      expect(error).toBeInstanceOf(AppError)
      return undefined
    }
  }

  const contentOf = (docId: string) =>
    store.read(docId, ({ connection, schema }) => ({
      schema: schema.tables.map(({ tableId, columns }) => [
        tableId,
        columns.map(({ id, typeName }) => [id, typeName]),
      ]),
      rows: tables
        .filter((id) => schema.find(id))
        .map((id) => connection.raw(`SELECT * FROM ${quoteId(id)} ORDER BY id`).all()),
    }))

  it('does the same as its operations one by one, as one entry of the log, or nothing', async () => {
    let refused = 0
    let accepted = 0
    const run = async (list: Operation[]) => {
      const [whole, single] = await Promise.all([newDocument(), newDocument()])
      const { seq } = store.stateOf(whole)
      const before = contentOf(whole)
      const fit = (one: Operation) =>
        'table' in one && one.table === 'Teams' ? withRowIds(one, 'id') : one
      const operations = [...beginning, ...list.map(fit)]
      const result = await tryToApply(whole, operations)
      const alone: object[] = []
      let isRefused = false
      for (const one of operations) {
        // Rows 1 and 3 are those with temporary ids.
        const plain = one === beginning[0] ? one : withRowIds(one)
        const applied = await tryToApply(single, [plain])
        if (applied) alone.push(...applied.operations)
        isRefused = !applied
        if (isRefused) break
      }
      expect(result === undefined).toBe(isRefused)
      if (result) {
        expect(result.operations).toEqual(alone)
        expect(contentOf(whole)).toEqual(contentOf(single))
        expect(store.stateOf(whole).seq).toBe(seq + 1)
        accepted++
      } else {
        expect([contentOf(whole), store.stateOf(whole).seq]).toEqual([before, seq])
        refused++
      }
    }
    await fc.assert(fc.asyncProperty(fc.array(operation, { maxLength: 5 }), run), { numRuns: 60 })
    expect([accepted > 5, refused > 5]).toEqual([true, true])
  })
})
