import { tempDir } from '@sheaf/testkit/temp-dir'
import type { DocumentStore } from '../../src/store/documents/document-store'
import { addOrUpdateRecords } from '../../src/store/records/add-or-update'
import { removeRecords, updateRecords } from '../../src/store/records/records'
import { updateColumns } from '../../src/store/structure/column-updates'
import { addColumns as addStructure } from '../../src/store/structure/columns'
import { openFormulaStore, readRows } from '../support/formula-store'
import { addColumns, author, createTable } from '../support/test-store'

async function addFormula(
  store: DocumentStore,
  docId: string,
  tableId: string,
  [id, formula, type = 'Any']: [string, string, string?],
): Promise<void> {
  await store.transact(docId, author, (doc) => {
    addStructure(doc, tableId, [{ id, fields: { formula, isFormula: true, type } }])
  })
}

async function update(
  store: DocumentStore,
  docId: string,
  rowIds: number[],
  cells: Record<string, unknown[]>,
): Promise<void> {
  await store.transact(docId, author, (doc) =>
    updateRecords(
      doc,
      'T',
      { rowIds, cells: new Map(Object.entries(cells)) as never },
      { noParse: true },
    ),
  )
}

describe('formulas of a document', () => {
  it('are computed in the transaction of the write that they depend on', async () => {
    await using folder = await tempDir()
    await using opened = await openFormulaStore(folder.path)
    const { store } = opened
    const docId = await createTable(store, 'T', { A: 'Numeric', B: 'Numeric' })
    await addColumns(
      store,
      docId,
      'T',
      new Map([
        ['A', [1, 2]],
        ['B', [10, 20]],
      ]),
    )
    await addFormula(store, docId, 'T', ['C', '$A + $B'])
    await addFormula(store, docId, 'T', ['D', '1 / ($C - 22)'])
    expect(await readRows(store, docId, 'T')).toEqual([
      { id: 1, fields: { A: 1, B: 10, C: 11, D: 1 / (11 - 22) } },
      { id: 2, fields: { A: 2, B: 20, C: 22, D: null }, errors: { D: 'ZeroDivisionError' } },
    ])
    await update(store, docId, [2], { A: [3] })
    expect((await readRows(store, docId, 'T'))[1]).toEqual({
      id: 2,
      fields: { A: 3, B: 20, C: 23, D: 1 },
    })
  })

  it('are computed before a write that arrives with their change looks rows up by them', async () => {
    await using folder = await tempDir()
    await using opened = await openFormulaStore(folder.path)
    const { store } = opened
    const docId = await createTable(store, 'T', { A: 'Int', B: 'Text' })
    await addColumns(store, docId, 'T', new Map([['A', [1, 2]]]))
    await addFormula(store, docId, 'T', ['C', '$A * 10', 'Int'])
    const upsert = (C: number, B: string) =>
      store.transact(docId, author, (doc) => {
        const group = {
          places: [0],
          require: new Map([['C', [C]]]),
          fields: new Map([['B', [B]]]),
          expected: [new Map([['C', C]])],
        }
        const options = { onMany: 'first', noAdd: true, noUpdate: false } as const
        const request = { count: 1, groups: [group] }
        addOrUpdateRecords(doc, 'T', request, {
          ...options,
          noParse: true,
          allowEmptyRequire: false,
        })
      })
    // All arrive in one turn, so that they could share a transaction.
    const [, , , old] = await Promise.allSettled([
      update(store, docId, [1], { A: [7] }),
      upsert(70, 'found'),
      update(store, docId, [2], { A: [9] }),
      upsert(20, 'not any more'),
      upsert(90, 'too'),
    ])
    expect(old.status).toBe('rejected')
    expect((await readRows(store, docId, 'T')).map(({ fields }) => fields)).toEqual([
      { A: 7, B: 'found', C: 70 },
      { A: 9, B: 'too', C: 90 },
    ])
  })

  it('follow references and lookups when the rows that they read change', async () => {
    await using folder = await tempDir()
    await using opened = await openFormulaStore(folder.path)
    const { store } = opened
    const docId = await createTable(store, 'T', { K: 'Text', N: 'Int' })
    await addColumns(
      store,
      docId,
      'T',
      new Map([
        ['K', ['a', 'b', 'a']],
        ['N', [1, 2, 3]],
      ]),
    )
    await addFormula(store, docId, 'T', ['S', 'SUM(T.lookupRecords(K=$K).N)'])
    const sums = async () => (await readRows(store, docId, 'T')).map(({ fields }) => fields.S)
    expect(await sums()).toEqual([4, 2, 4])
    await update(store, docId, [3], { K: ['b'] })
    expect(await sums()).toEqual([1, 5, 5])
    await update(store, docId, [2], { N: [7] })
    expect(await sums()).toEqual([1, 10, 10])
    await store.transact(docId, author, (doc) => {
      removeRecords(doc, doc.schema.get('T'), [2])
    })
    expect(await sums()).toEqual([1, 3])
    await store.transact(docId, author, (doc) =>
      updateColumns(doc, 'T', [{ id: 'S', change: { formula: 'len(T.lookupRecords(K=$K))' } }]),
    )
    expect(await sums()).toEqual([1, 1])
  })
})

describe('a lookup of list items in a column without lists', () => {
  it('refuses no write of text that begins like a list', async () => {
    await using folder = await tempDir()
    await using opened = await openFormulaStore(folder.path)
    const { store } = opened
    const docId = await createTable(store, 'T', { K: 'Text' })
    await addColumns(store, docId, 'T', new Map([['K', ['a', 'b']]]))
    await addFormula(store, docId, 'T', ['S', 'len(T.lookupRecords(K=CONTAINS("a")))'])
    await update(store, docId, [1], { K: ['[broken'] })
    expect((await readRows(store, docId, 'T'))[0]?.fields.K).toBe('[broken')
  })

  it('keep text with an underscore in columns of numbers, compiled or in Python', async () => {
    await using folder = await tempDir()
    await using opened = await openFormulaStore(folder.path)
    const { store } = opened
    const docId = await createTable(store, 'T', { A: 'Text' })
    await addColumns(store, docId, 'T', new Map([['A', ['1_000', 'a_b']]]))
    for (const type of ['Numeric', 'Int']) {
      await addFormula(store, docId, 'T', [`Compiled${type}`, '$A', type])
      await addFormula(store, docId, 'T', [`Python${type}`, '(lambda: $A)()', type])
    }
    const rows = await readRows(store, docId, 'T')
    expect(rows.map(({ fields }) => Object.values(fields))).toEqual([
      new Array(5).fill('1_000'),
      new Array(5).fill('a_b'),
    ])
  })
})
