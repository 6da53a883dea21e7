import { tempDir } from '@sheaf/testkit/temp-dir'
import type { Author } from '../../src/store/log/log'
import type { DocumentStore } from '../../src/store/documents/document-store'
import { addRecords, deleteRecords, updateRecords } from '../../src/store/records/records'
import { revertChange } from '../../src/store/revert/revert'
import { updateColumns } from '../../src/store/structure/column-updates'
import { addColumns as addStructure, type NewColumn } from '../../src/store/structure/columns'
import { openFormulaStore, readRows } from '../support/formula-store'
import { author, createTable } from '../support/test-store'

const ada: Author = {
  ...author,
  userId: 7,
  person: { name: 'Ada', email: 'ada@example.com', access: 'editors', isAnonymous: false },
}

/** A document with one table, trigger columns, and the names of what they depend on. */
async function createTriggers(
  store: DocumentStore,
  types: Record<string, string>,
  triggers: Record<string, NewColumn['fields'] & { deps?: string[] }>,
): Promise<string> {
  const docId = await createTable(store, 'T', types)
  for (const [id, { deps = [], ...fields }] of Object.entries(triggers))
    await store.transact(docId, author, (doc) => {
      const refs = deps.map((name) => doc.schema.get('T').byId.get(name)?.ref)
      const recalcDeps = refs.length > 0 ? JSON.stringify(refs) : undefined
      addStructure(doc, 'T', [{ id, fields: { isFormula: false, recalcDeps, ...fields } }])
    })
  return docId
}

const cellsOf = (fields: Record<string, unknown>) =>
  new Map(Object.entries(fields).map(([id, value]) => [id, [value]])) as never

const add = (store: DocumentStore, docId: string, fields: Record<string, unknown>, by = ada) =>
  store.transact(docId, by, (doc) => {
    addRecords(doc, 'T', { count: 1, cells: cellsOf(fields) }, { noParse: true })
  })

const update = (
  store: DocumentStore,
  docId: string,
  fields: Record<string, unknown>,
  { id = 1, by = ada }: { id?: number; by?: Author } = {},
) =>
  store.transact(docId, by, (doc) =>
    updateRecords(doc, 'T', { rowIds: [id], cells: cellsOf(fields) }, { noParse: true }),
  )

const fieldsOf = async (store: DocumentStore, docId: string, id = 1) =>
  (await readRows(store, docId, 'T')).find((row) => row.id === id)?.fields

describe('trigger formulas', () => {
  it('give new rows their values, and keep given ones unless they name columns', async () => {
    await using folder = await tempDir()
    await using opened = await openFormulaStore(folder.path)
    const { store } = opened
    const docId = await createTriggers(
      store,
      { A: 'Int' },
      {
        Default: { type: 'Int', formula: '$A * 2' },
        Named: { type: 'Text', formula: '"%s of %s" % (value, $A)', deps: ['A'] },
        Never: { type: 'Int', formula: '$A * 2', recalcWhen: 1 },
        Count: { type: 'Int', formula: '(value or 0) + 1', recalcWhen: 2 },
        Who: { type: 'Text', formula: 'f"{user.Name} {user.Email} {user.Access} {user.UserID}"' },
      },
    )
    await add(store, docId, { A: 1 })
    await add(store, docId, { A: 3, Default: 99, Named: 'own', Never: 97, Count: 95, Who: 'me' })
    expect(await readRows(store, docId, 'T')).toEqual([
      {
        id: 1,
        fields: {
          A: 1,
          Default: 2,
          Named: ' of 1',
          Never: 0,
          Count: 1,
          Who: 'Ada ada@example.com editors 7',
        },
      },
      {
        id: 2,
        fields: { A: 3, Default: 99, Named: 'own of 3', Never: 97, Count: 95, Who: 'me' },
      },
    ])
  })

  it('run when a named column changes, and not for a value that the same write changes', async () => {
    await using folder = await tempDir()
    await using opened = await openFormulaStore(folder.path)
    const { store } = opened
    const docId = await createTriggers(
      store,
      { A: 'Int', B: 'Text' },
      {
        OnA: { type: 'Int', formula: '$A * 2', deps: ['A'] },
        Count: { type: 'Int', formula: 'value + 1', recalcWhen: 2 },
      },
    )
    await add(store, docId, { A: 1 })
    await update(store, docId, { B: 'x' })
    expect(await fieldsOf(store, docId)).toEqual({ A: 1, B: 'x', OnA: 2, Count: 2 })
    await update(store, docId, { A: 1, B: 'x' })
    expect(await fieldsOf(store, docId)).toEqual({ A: 1, B: 'x', OnA: 2, Count: 2 })
    await update(store, docId, { A: 5, OnA: 7 })
    expect(await fieldsOf(store, docId)).toEqual({ A: 5, B: 'x', OnA: 7, Count: 3 })
    // A value equal to the stored one counts as not given.
    await update(store, docId, { A: 6, OnA: 7 })
    expect(await fieldsOf(store, docId)).toEqual({ A: 6, B: 'x', OnA: 12, Count: 4 })
  })

  it('run over formulas of other tables, when their result changes, and in chains', async () => {
    await using folder = await tempDir()
    await using opened = await openFormulaStore(folder.path)
    const { store } = opened
    const docId = await createTriggers(
      store,
      { A: 'Int' },
      {
        Big: { type: 'Bool', formula: '$A > 10', isFormula: true },
        Seen: { type: 'Int', formula: 'value + 1', deps: ['Big'] },
        After: { type: 'Text', formula: '"after %s" % $Seen', deps: ['Seen'] },
        Read: { type: 'Text', formula: '$After.upper()', isFormula: true },
      },
    )
    await add(store, docId, { A: 1 })
    const first = { A: 1, Big: false, Seen: 1, After: 'after 1', Read: 'AFTER 1' }
    expect(await fieldsOf(store, docId)).toEqual(first)
    await update(store, docId, { A: 2 })
    expect(await fieldsOf(store, docId)).toEqual({ ...first, A: 2 })
    const { seq } = await update(store, docId, { A: 20 })
    const last = { A: 20, Big: true, Seen: 2, After: 'after 2', Read: 'AFTER 2' }
    expect(await fieldsOf(store, docId)).toEqual(last)
    await store.transact(docId, { ...ada, cause: 'undo' }, (doc) => revertChange(doc, seq))
    expect(await fieldsOf(store, docId)).toEqual({ ...first, A: 2 })
  })

  it('run once for each of many writes that arrive together', async () => {
    await using folder = await tempDir()
    await using opened = await openFormulaStore(folder.path)
    const { store } = opened
    const docId = await createTriggers(
      store,
      { A: 'Int' },
      {
        Count: { type: 'Int', formula: 'value + 1', recalcWhen: 2 },
        Who: { type: 'Text', formula: 'user.Name', recalcWhen: 2 },
      },
    )
    await add(store, docId, { A: 0 })
    const names = Array.from({ length: 20 }, (_, i) => `user ${i}`)
    const written = await Promise.all(
      names.map((name, i) => {
        const person = { name, email: '', access: 'editors', isAnonymous: false }
        return update(store, docId, { A: i + 1 }, { by: { ...ada, person } })
      }),
    )
    expect(await fieldsOf(store, docId)).toEqual({ A: 20, Count: 21, Who: 'user 19' })
    expect(new Set(written.map(({ seq }) => seq)).size).toBe(20)
  })

  it('are undone with their write, exactly, and are not run by an undo', async () => {
    await using folder = await tempDir()
    await using opened = await openFormulaStore(folder.path)
    const { store } = opened
    const docId = await createTriggers(
      store,
      { A: 'Int' },
      { Count: { type: 'Int', formula: 'value + 1', recalcWhen: 2 } },
    )
    const added = await add(store, docId, { A: 1 })
    const { seq } = await update(store, docId, { A: 5 })
    expect(await fieldsOf(store, docId)).toEqual({ A: 5, Count: 2 })
    const undo = (of: number) =>
      store.transact(docId, { ...ada, cause: 'undo' }, (doc) => revertChange(doc, of))
    const undone = await undo(seq)
    expect(await fieldsOf(store, docId)).toEqual({ A: 1, Count: 1 })
    await undo(undone.seq)
    expect(await fieldsOf(store, docId)).toEqual({ A: 5, Count: 2 })
    await undo(undone.seq + 1)
    await undo(added.seq)
    expect(await readRows(store, docId, 'T')).toEqual([])
    const removed = await store.transact(docId, ada, (doc) => deleteRecords(doc, 'T', [1]))
    expect(removed.seq).toBe(undone.seq + 3)
  })

  it('keep the value of the cell when they fail, for the next time', async () => {
    await using folder = await tempDir()
    await using opened = await openFormulaStore(folder.path)
    const { store } = opened
    const docId = await createTriggers(
      store,
      { A: 'Int' },
      { Count: { type: 'Int', formula: 'value + 1 + 0 // $A', recalcWhen: 2 } },
    )
    await add(store, docId, { A: 1, Count: 41 })
    await update(store, docId, { A: 0 })
    expect((await readRows(store, docId, 'T'))[0]).toEqual({
      id: 1,
      fields: { A: 0, Count: null },
      errors: { Count: 'ZeroDivisionError' },
    })
    await update(store, docId, { A: 2 })
    expect(await fieldsOf(store, docId)).toEqual({ A: 2, Count: 42 })
  })

  it('leave cells as they are when they exceed a limit, and run again when the formula changes', async () => {
    await using folder = await tempDir()
    await using opened = await openFormulaStore(folder.path, { computeMs: 8_000 })
    const { store } = opened
    const docId = await createTriggers(
      store,
      { A: 'Int' },
      {
        Hang: { type: 'Int', formula: 'while $A == 13: pass\nreturn value + 1', recalcWhen: 2 },
        Double: { type: 'Int', formula: '$A * 2', isFormula: true },
      },
    )
    await add(store, docId, { A: 1 })
    await update(store, docId, { A: 13 })
    expect(await fieldsOf(store, docId)).toEqual({ A: 13, Hang: 1, Double: 26 })
    await update(store, docId, { A: 2 })
    expect(await fieldsOf(store, docId)).toEqual({ A: 2, Hang: 1, Double: 4 })
    await store.transact(docId, author, (doc) =>
      updateColumns(doc, 'T', [{ id: 'Hang', change: { formula: 'value + 10' } }]),
    )
    expect(await fieldsOf(store, docId)).toEqual({ A: 2, Hang: 1, Double: 4 })
    await update(store, docId, { A: 3 })
    expect(await fieldsOf(store, docId)).toEqual({ A: 3, Hang: 11, Double: 6 })
  })

  it('can clean what is written to their own column', async () => {
    await using folder = await tempDir()
    await using opened = await openFormulaStore(folder.path)
    const { store } = opened
    const docId = await createTriggers(
      store,
      {},
      { Code: { type: 'Text', formula: '(value or "").strip().upper()' } },
    )
    await store.transact(docId, author, (doc) => {
      const ref = doc.schema.get('T').byId.get('Code')?.ref
      updateColumns(doc, 'T', [{ id: 'Code', change: { recalcDeps: `[${ref}]` } }])
    })
    await add(store, docId, { Code: ' a ' })
    expect(await fieldsOf(store, docId)).toEqual({ Code: 'A' })
    await update(store, docId, { Code: 'b ' })
    expect(await fieldsOf(store, docId)).toEqual({ Code: 'B' })
  })

  it('do not run when their column is added, changed or named', async () => {
    await using folder = await tempDir()
    await using opened = await openFormulaStore(folder.path)
    const { store } = opened
    const docId = await createTriggers(
      store,
      { A: 'Int' },
      { Stamp: { type: 'Int', formula: '$A', deps: ['A'] } },
    )
    await add(store, docId, { A: 1 })
    await store.transact(docId, author, (doc) =>
      updateColumns(doc, 'T', [
        { id: 'Stamp', change: { formula: '$A * 100' } },
        { id: 'A', change: { type: 'Numeric' } },
      ]),
    )
    expect(await fieldsOf(store, docId)).toEqual({ A: 1, Stamp: 1 })
  })
})
