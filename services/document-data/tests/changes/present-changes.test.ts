import fc from 'fast-check'
import { tempDir } from '@sheaf/testkit/temp-dir'
import { quoteId } from '../../src/quoting/quote'
import type { DocumentReader } from '../../src/store/document'
import type { DocumentStore } from '../../src/store/documents/document-store'
import {
  unpackPart,
  type ChangePart,
  type SendableOperation,
} from '../../src/store/feed/change-parts'
import { changeParts } from '../../src/store/feed/changes'
import type { ChangesPlan } from '../../src/store/feed/changes-plan'
import type { LogValue } from '../../src/store/log/log'
import { deleteRecords, updateRecords } from '../../src/store/records/records'
import { presentColumns } from '../support/present-columns'
import { cellsSql } from '../../src/values/error-cells'
import { loggedCells } from '../../src/values/logged-cells'
import { action, options } from '../support/random-actions'
import { addColumns, author, buildWorkers, createTable, openStore } from '../support/test-store'

type RowChange = Extract<SendableOperation, { rowIds: unknown }>
type SchemaChange = Exclude<SendableOperation, RowChange>

/** What a reader without access to the past asks for. */
const plan: ChangesPlan = {
  after: 0,
  limit: 1000,
  fullRows: false,
  tableRefs: [],
  oldValues: false,
}

/** All cells as they are: the ref of the table, the row id, the ref of the column, the cell. */
function readCells({ connection, schema }: DocumentReader): Map<string, unknown> {
  const cells = new Map<string, unknown>()
  for (const { ref, tableId, columns } of schema.tables) {
    // Formulas are not computed here: their cells are pending.
    const names = ['id', ...columns.map((column) => cellsSql(column))].join(', ')
    const rows = connection.raw(`SELECT ${names} FROM ${quoteId(tableId)}`).all() as LogValue[][]
    for (const [id, ...values] of rows)
      columns.forEach((column, i) => {
        const [cell] = parse(loggedCells(column.typeName, [values[i] ?? null])) as unknown[]
        cells.set(`${ref}:${id}:${column.ref}`, cell)
      })
  }
  return cells
}

const parse = (json: Buffer) => JSON.parse(json.toString()) as unknown

function toldCells({ tableRef, rowIds, columns }: RowChange): [string, unknown][] {
  return columns.flatMap((column) => {
    if (column.new.length === 0) return []
    const values = parse(column.new) as unknown[]
    return rowIds.map((id, i): [string, unknown] => [`${tableRef}:${id}:${column.ref}`, values[i]])
  })
}

async function readAll(store: DocumentStore, docId: string, given: Partial<ChangesPlan> = {}) {
  const { parts } = await store.readChanges(docId, { ...plan, ...given })
  const all: ChangePart[] = []
  for await (const part of parts) all.push(part)
  return all
}

const operationsOf = (parts: readonly ChangePart[]) => parts.flatMap((part) => part.operations)
const isRows = (operation: SendableOperation): operation is RowChange => 'rowIds' in operation

describe('changes for readers without access to the past', () => {
  beforeAll(buildWorkers)

  it('hold no cell, name or metadata that a read would not show now, whatever was done', async () => {
    await using folder = await tempDir()
    await using store = await openStore(folder.path, { workers: 0, maxOpen: 1000 })
    let compared = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(action, { minLength: 1, maxLength: 3 }), {
          minLength: 10,
          maxLength: 25,
        }),
        fc.boolean(),
        async (writes, fullRows) => {
          const docId = await createTable(store, 'Data', { A: 'Text', B: 'Int', C: 'Any' })
          await addColumns(store, docId, 'Data', new Map([['A', ['x', 'y', 'z']]]))
          for (const actions of writes)
            await store.transact(docId, author, (doc) => actions.forEach((run) => run(doc)))
          const cells = store.read(docId, readCells)
          const columns = store.read(docId, presentColumns)
          const parts = await readAll(store, docId, { fullRows })
          expect(new Set(parts.map(({ seq }) => seq)).size).toBe(parts.length)
          const told = new Map<string, unknown>()
          for (const operation of operationsOf(parts)) {
            expect(operation).not.toHaveProperty('cells')
            if (!isRows(operation)) {
              expectPresent(operation, columns)
              continue
            }
            for (const column of operation.columns) {
              expect(column.old).toHaveLength(0)
              expect(columns.get(`${operation.tableRef}:${column.ref}`)?.colId).toBe(column.id)
            }
            for (const [key, cell] of toldCells(operation)) {
              expect([key, cell]).toEqual([key, cells.get(key)])
              told.set(key, cell)
              compared++
            }
          }
          // Whoever applies all of it has what is there, apart from defaults of columns added later.
          for (const [key, cell] of cells)
            if (!told.has(key)) expect([null, 0, false, '', ['P']]).toContainEqual(cell)
        },
      ),
      { numRuns: 60 },
    )
    expect(compared).toBeGreaterThan(500)
  })

  it('are the same from a thread, in many parts', async () => {
    await using folder = await tempDir()
    await using store = await openStore(folder.path)
    const docId = await createTable(store, 'Data', { A: 'Text', B: 'Int' })
    const ids = Array.from({ length: 12_000 }, (_, i) => i + 1)
    const textsOf = (letter: string) => ids.map((id) => `${id} ${letter.repeat(100)}`)
    await addColumns(store, docId, 'Data', new Map([['A', textsOf('o')]]))
    await store.transact(docId, author, (doc) =>
      updateRecords(doc, 'Data', { rowIds: ids, cells: new Map([['A', textsOf('n')]]) }, options),
    )
    await store.transact(docId, author, (doc) => deleteRecords(doc, 'Data', ids.slice(11_000)))
    const parts = await readAll(store, docId)
    expect(parts.length).toBeGreaterThan(5)
    const changes = operationsOf(parts).filter(isRows)
    const rowsOf = (kind: string) =>
      changes.filter((change) => change.kind === kind).flatMap(({ rowIds }) => rowIds)
    expect(rowsOf('add_rows')).toEqual(ids.slice(0, 11_000))
    expect(rowsOf('update_rows')).toEqual(ids.slice(0, 11_000))
    expect(rowsOf('remove_rows')).toEqual(ids.slice(11_000))
    const cells = store.read(docId, readCells)
    for (const [key, cell] of changes.flatMap(toldCells)) expect(cells.get(key)).toEqual(cell)
  })

  it('are read fewer at a time where they are large now', async () => {
    await using folder = await tempDir()
    await using store = await openStore(folder.path, { workers: 0 })
    const docId = await createTable(store, 'Data', { A: 'Text' })
    const ids = Array.from({ length: 40 }, (_, i) => i + 1)
    const after = await addColumns(store, docId, 'Data', new Map([['A', ids.map(String)]]))
    const large = ids.map((id) => `${id} ${'x'.repeat(100_000)}`)
    await store.transact(docId, author, (doc) =>
      updateRecords(doc, 'Data', { rowIds: ids, cells: new Map([['A', large]]) }, options),
    )
    const packed = store.read(docId, ({ connection }) => [
      ...changeParts(connection, { ...plan, after: after - 1 }, { maxPassBytes: 300_000 }),
    ])
    const changes = operationsOf(packed.filter((part) => part !== null).map(unpackPart)).filter(
      isRows,
    )
    expect(changes.length).toBeGreaterThanOrEqual(28)
    expect(changes.flatMap(({ rowIds }) => rowIds)).toEqual([...ids, ...ids])
    const cells = store.read(docId, readCells)
    for (const [key, cell] of changes.flatMap(toldCells)) expect(cells.get(key)).toEqual(cell)
  })
})

type Columns = ReturnType<typeof presentColumns>

/** Metadata are those of a table or column that exists, and what was removed has no name. */
function expectPresent(operation: SchemaChange, columns: Columns): void {
  const { kind, tableRef, columnRef } = operation
  expect(operation.old).toHaveLength(0)
  const known = columns.get(`${tableRef}:${columnRef}`)
  const tableId = columns.get(`${tableRef}:0`)?.tableId ?? ''
  expect([operation.table, operation.column]).toEqual([tableId, known?.colId ?? ''])
  if (kind.startsWith('remove_')) {
    expect(operation.new).toHaveLength(0)
    return
  }
  const { columns: listed, ...told } = parse(operation.new) as {
    readonly columns?: readonly { readonly colRef: number }[]
  }
  expect(known).toMatchObject(told)
  for (const column of listed ?? [])
    expect(columns.get(`${tableRef}:${column.colRef}`)).toMatchObject(column)
}
