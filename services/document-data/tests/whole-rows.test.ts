import fc from 'fast-check'
import { tempDir } from '@sheaf/testkit/temp-dir'
import { quoteId } from '../src/query/quote'
import type { ChangePart, SendableOperation } from '../src/store/change-parts'
import type { ChangesPlan } from '../src/store/changes'
import { updateColumns } from '../src/store/column-updates'
import { removeColumn } from '../src/store/column-removal'
import { addColumns as addNewColumns } from '../src/store/columns'
import type { CellColumns } from '../src/store/conversion'
import type { DocumentReader, DocumentWriter } from '../src/store/document'
import type { DocumentStore } from '../src/store/document-store'
import type { LogValue } from '../src/store/log'
import { addRecords, deleteRecords, updateRecords } from '../src/store/records'
import { removeTables } from '../src/store/table-removal'
import { updateTables } from '../src/store/table-updates'
import { addTables } from '../src/store/tables'
import { loggedCells } from '../src/values/logged-cells'
import { addColumns, author, buildWorkers, createTable, openStore } from './test-store'

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

const options = { noParse: false }
const types = ['Text', 'Int', 'Numeric', 'Bool', 'Any', 'Date', 'Choice', 'ChoiceList', 'DateTime']
const cell = fc.constantFrom<unknown>(null, 0, 1, 2.5, true, 'text', '7', '2020-01-02', ['L', 'a'])

type Action = (doc: DocumentWriter) => void

/** Something done to one of the tables, or to one of its columns; the numbers choose which. */
const action: fc.Arbitrary<Action> = fc
  .record({
    kind: fc.constantFrom(
      ...['add', 'add', 'update', 'update', 'update', 'update', 'place', 'remove', 'addColumn'],
      ...['addEmpty', 'addFormula', 'rename', 'swap', 'retype', 'retype', 'compute', 'fix'],
      ...['removeColumn', 'addTable', 'renameTable', 'removeTable', 'refer'],
    ),
    table: fc.nat(),
    column: fc.nat(),
    rows: fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 4 }),
    cells: fc.array(cell, { minLength: 8, maxLength: 8 }),
    type: fc.constantFrom(...types),
  })
  .map(({ kind, table: t, column: c, rows, cells, type }) => (doc: DocumentWriter) => {
    const { tables } = doc.schema
    if (kind === 'addTable')
      return void addTables(doc, [
        {
          columns: [
            { id: 'A', fields: { type } },
            { id: 'E', fields: { isFormula: true } },
          ],
        },
      ])
    const table = tables[t % Math.max(1, tables.length)]
    if (!table) return
    const { tableId, ref, columns } = table
    const own = columns.filter(({ id }) => id !== 'manualSort')
    const column = own[c % Math.max(1, own.length)]
    const other = own[(c + 1) % Math.max(1, own.length)]
    const writable = own.filter(({ isFormula, formula }) => !isFormula || formula === '')
    const cellsOf = (count: number): CellColumns =>
      new Map(
        writable
          .slice(c % 3)
          .map(({ id }, i) => [
            id,
            Array.from({ length: count }, (_, row) => cells[(i + row) % 8] as never),
          ]),
      )
    const present = doc.connection.pluck(`SELECT id FROM ${quoteId(tableId)}`).all() as number[]
    const chosen = rows.filter((id) => present.includes(id))
    const change = (fields: object) =>
      column && updateColumns(doc, tableId, [{ id: column.id, change: fields }])
    switch (kind) {
      case 'add':
        return void addRecords(doc, tableId, { count: 2, cells: cellsOf(2) }, options)
      case 'update':
        return updateRecords(
          doc,
          tableId,
          { rowIds: chosen, cells: cellsOf(chosen.length) },
          options,
        )
      case 'place': {
        const positions = new Map([['manualSort', chosen.map((id) => id + 0.5)]])
        return updateRecords(doc, tableId, { rowIds: chosen, cells: positions }, options)
      }
      case 'remove':
        return deleteRecords(doc, tableId, rows)
      case 'addColumn':
        return void addNewColumns(doc, tableId, [{ id: 'N', fields: { type } }])
      case 'addEmpty':
        return void addNewColumns(doc, tableId, [{ id: 'E', fields: { isFormula: true, type } }])
      case 'addFormula':
        return void addNewColumns(doc, tableId, [
          { id: 'F', fields: { isFormula: true, formula: '1' } },
        ])
      case 'rename':
        return void change({ colId: `R${c % 4}` })
      case 'swap':
        if (!column || !other || column === other) return
        return updateColumns(doc, tableId, [
          { id: column.id, change: { colId: other.id, type } },
          { id: other.id, change: { colId: column.id } },
        ])
      case 'retype':
        return void change({ type })
      case 'compute':
        return void change({ isFormula: true, formula: c % 2 ? '' : '$id' })
      case 'fix':
        return void change({ isFormula: false, formula: '' })
      case 'refer':
        return void change({
          type: `${c % 2 ? 'Ref' : 'RefList'}:${tables[(t + 1) % tables.length]?.tableId}`,
        })
      case 'removeColumn':
        return column && removeColumn(doc, tableId, column.id)
      case 'renameTable':
        return updateTables(doc, [{ id: tableId, change: { tableId: `Renamed${t % 5}` } }])
      case 'removeTable':
        return c % 3 === 0 ? removeTables(doc, [ref]) : undefined
    }
  })

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
})
