import fc from 'fast-check'
import { tempDir } from '@sheaf/testkit/temp-dir'
import { quoteId } from '../../src/quoting/quote'
import {
  unpackPart,
  type ChangePart,
  type SendableOperation,
} from '../../src/store/feed/change-parts'
import { changeParts } from '../../src/store/feed/changes'
import type { ChangesPlan } from '../../src/store/feed/changes-plan'
import { removeColumn } from '../../src/store/structure/column-removal'
import type { DocumentReader } from '../../src/store/document'
import type { DocumentStore } from '../../src/store/documents/document-store'
import type { LogValue } from '../../src/store/log/log'
import { deleteRecords, updateRecords } from '../../src/store/records/records'
import { loggedCells } from '../../src/values/logged-cells'
import { action, options } from '../support/random-actions'
import { addColumns, author, buildWorkers, createTable, openStore } from '../support/test-store'

type Change = Extract<SendableOperation, { rowIds: unknown }>
/** Cells by the ref of their column. */
type Row = Readonly<Record<string, unknown>>
/** The rows of all tables, by the ref of the table and the row id. */
type Rows = ReadonlyMap<string, Row>

/** All rows as they are. */
function readAll({ connection, schema }: DocumentReader): Rows {
  const all = new Map<string, Row>()
  for (const { ref, tableId, columns } of schema.tables) {
    const names = ['id', ...columns.map(({ id }) => id)].map(quoteId).join(', ')
    const rows = connection.raw(`SELECT ${names} FROM ${quoteId(tableId)}`).all() as LogValue[][]
    for (const [id, ...cells] of rows) {
      const row = columns.map((column, i) => {
        const [cell] = list(loggedCells(column.typeName, [cells[i] ?? null]))
        return [column.ref, cell]
      })
      all.set(`${ref}:${id}`, Object.fromEntries(row) as Row)
    }
  }
  return all
}

const list = (json: Buffer) => JSON.parse(json.toString()) as unknown[]

/** The rows that a change of rows tells. */
function toldRows({ tableRef, rowIds, columns }: Change): [string, Row][] {
  const values = columns.map((column) => list(column.new))
  return rowIds.map((id, i) => [
    `${tableRef}:${id}`,
    Object.fromEntries(columns.map(({ ref }, c) => [ref, values[c]?.[i]])),
  ])
}

async function readChanges(
  store: DocumentStore,
  docId: string,
  plan: Partial<ChangesPlan> = {},
): Promise<ChangePart[]> {
  const whole = { after: 0, limit: 1000, fullRows: true, tableRefs: [], oldValues: true, ...plan }
  const { parts } = await store.readChanges(docId, whole)
  const all: ChangePart[] = []
  for await (const part of parts) all.push(part)
  return all
}

describe('whole rows of changes', () => {
  beforeAll(buildWorkers)

  it('are those that were read at that time, whatever was done later to rows, columns and tables', async () => {
    await using folder = await tempDir()
    await using store = await openStore(folder.path, { workers: 0, maxOpen: 1000 })
    let compared = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(action, { minLength: 1, maxLength: 3 }), {
          minLength: 10,
          maxLength: 25,
        }),
        async (writes) => {
          const docId = await createTable(store, 'Data', { A: 'Text', B: 'Int', C: 'Any' })
          await addColumns(store, docId, 'Data', new Map([['A', ['x', 'y', 'z']]]))
          /** What was read after the operation with this index of this entry. */
          const moments = new Map<string, Rows>()
          for (const actions of writes)
            await store.transact(docId, author, (doc) => {
              for (const run of actions) {
                run(doc)
                moments.set(`${doc.nextSeq}:${doc.operations.length - 1}`, readAll(doc))
              }
            })
          for (const { seq, operations } of await readChanges(store, docId))
            operations.forEach((operation, index) => {
              const moment = moments.get(`${seq}:${index}`)
              if (!moment || operation.kind !== 'update_rows' || !('rowIds' in operation)) return
              for (const [key, row] of toldRows(operation)) {
                expect(row).toEqual(moment.get(key))
                compared++
              }
            })
        },
      ),
      { numRuns: 60 },
    )
    expect(compared).toBeGreaterThan(500)
  })

  it('are the same from a thread, in many parts, whatever was done later', async () => {
    await using folder = await tempDir()
    await using store = await openStore(folder.path)
    const docId = await createTable(store, 'Data', { A: 'Text', B: 'Int' })
    const ids = Array.from({ length: 12_000 }, (_, i) => i + 1)
    const texts = ids.map((id) => `${id} ${'x'.repeat(100)}`)
    await addColumns(
      store,
      docId,
      'Data',
      new Map<string, (string | number)[]>([
        ['A', texts],
        ['B', ids],
      ]),
    )
    const { seq } = await store.transact(docId, author, (doc) =>
      updateRecords(
        doc,
        'Data',
        { rowIds: ids, cells: new Map([['B', ids.map((id) => -id)]]) },
        options,
      ),
    )
    const before = store.read(docId, readAll)
    await store.transact(docId, author, (doc) => deleteRecords(doc, 'Data', ids.slice(100)))
    await store.transact(docId, author, (doc) => removeColumn(doc, 'Data', 'A'))

    const parts = await readChanges(store, docId, { after: seq - 1, limit: 1 })
    const operations = parts.flatMap((part) => part.operations) as Change[]
    expect(parts.map(({ continued }) => continued)).toEqual([
      ...parts.slice(1).map(() => true),
      false,
    ])
    expect(parts.length).toBeGreaterThan(2)
    expect(operations.flatMap(({ rowIds }) => rowIds)).toEqual(ids)
    expect(new Map(operations.flatMap(toldRows))).toEqual(before)
    for (const { columns } of operations)
      for (const { id, old } of columns) expect(old.length > 0).toBe(id === 'B')
  })

  it('are rebuilt fewer at a time where they are large', async () => {
    await using folder = await tempDir()
    await using store = await openStore(folder.path, { workers: 0 })
    const docId = await createTable(store, 'Data', { A: 'Text', B: 'Int' })
    const ids = Array.from({ length: 40 }, (_, i) => i + 1)
    const texts = ids.map((id) => `${id} ${'x'.repeat(100_000)}`)
    const after = await addColumns(store, docId, 'Data', new Map([['A', texts]]))
    await store.transact(docId, author, (doc) =>
      updateRecords(doc, 'Data', { rowIds: ids, cells: new Map([['B', ids]]) }, options),
    )
    // The rows are small now, and large again on the way back.
    const small = new Map([['A', ids.map(String)]])
    await store.transact(docId, author, (doc) =>
      updateRecords(doc, 'Data', { rowIds: ids, cells: small }, options),
    )
    const plan = { after, limit: 1, fullRows: true, tableRefs: [], oldValues: true }
    const packed = store.read(docId, ({ connection }) => [
      ...changeParts(connection, plan, { maxPassBytes: 300_000 }),
    ])
    const parts = packed.filter((part) => part !== null).map(unpackPart)
    const operations = parts.flatMap((part) => part.operations as Change[])
    expect(operations.length).toBeGreaterThanOrEqual(14)
    expect(operations.flatMap(({ rowIds }) => rowIds)).toEqual(ids)
    const told = operations.flatMap(toldRows)
    expect(told.map(([, row]) => Object.values(row).slice(-2))).toEqual(
      ids.map((id, i) => [texts[i], id]),
    )
  })

  it('come however much was written since: a read of too much ends behind its first entry', async () => {
    await using folder = await tempDir()
    await using store = await openStore(folder.path, { workers: 0 })
    const docId = await createTable(store, 'Data', { A: 'Text', B: 'Int' })
    const ids = Array.from({ length: 6_000 }, (_, i) => i + 1)
    // Each of these entries is more than is read from the log at once.
    const textsOf = (letter: string) => ids.map((id) => `${id} ${letter.repeat(400)}`)
    const letters = ['a', 'b', 'c', 'd']
    const before = await addColumns(
      store,
      docId,
      'Data',
      new Map<string, (string | number)[]>([
        ['A', textsOf('-')],
        ['B', ids],
      ]),
    )
    for (const letter of letters)
      await store.transact(docId, author, (doc) => {
        const cells = new Map([['A', textsOf(letter)]])
        updateRecords(doc, 'Data', { rowIds: ids, cells }, options)
      })

    let after = before
    for (const letter of letters) {
      const plan = { after, limit: 1000, fullRows: true, tableRefs: [], oldValues: true }
      const packed = store.read(docId, ({ connection }) => [
        ...changeParts(connection, plan, { maxUndoneBytes: 1 }),
      ])
      const parts = packed.filter((part) => part !== null).map(unpackPart)
      expect(new Set(parts.map(({ seq }) => seq))).toEqual(new Set([after + 1]))
      expect(parts.at(-1)?.continued).toBe(false)
      const told = parts.flatMap(({ operations }) => operations as Change[]).flatMap(toldRows)
      const expected = textsOf(letter).map((text, i) => [text, ids[i]])
      expect(told.map(([, row]) => Object.values(row).slice(-2))).toEqual(expected)
      after++
    }
  })
})
