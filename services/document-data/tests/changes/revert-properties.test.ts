import { AppError } from '@sheaf/kit/errors'
import { tempDir, type TempDir } from '@sheaf/testkit/temp-dir'
import fc from 'fast-check'
import type { DocumentReader } from '../../src/store/document'
import type { DocumentStore } from '../../src/store/documents/document-store'
import { findEntry, type LogValue, type Operation } from '../../src/store/log/log'
import { deleteRecords, updateRecords } from '../../src/store/records/records'
import { revertChange } from '../../src/store/revert/revert'
import type { Column } from '../../src/store/schema/schema'
import { changes, requireAgreement, type Change } from '../support/random-changes'
import { author, createTable, openStore } from '../support/test-store'

const undo = { ...author, cause: 'undo' } as const

const index = fc.nat(7)

/** Changes of rows, of which the schema's have few. */
const rowChanges: fc.Arbitrary<Change> = fc.oneof(
  fc
    .tuple(index, fc.array(fc.integer({ min: 1, max: 6 }), { maxLength: 3 }))
    .map(([t, ids]): Change => (doc) => {
      const table = doc.schema.tables[t % doc.schema.tables.length]
      if (table) deleteRecords(doc, table.tableId, ids)
    }),
  fc
    .tuple(
      index,
      index,
      fc.array(fc.constantFrom(null, 0, 1, 2, 'x', '7', true), { minLength: 1, maxLength: 3 }),
    )
    .map(([t, c, values]): Change => (doc) => {
      const table = doc.schema.tables[t % doc.schema.tables.length]
      const column = table?.columns[c % table.columns.length]
      if (!table || !column) return
      const rowIds = values.map((_, i) => i + 1)
      const cells = new Map([[column.id, values]])
      updateRecords(doc, table.tableId, { rowIds, cells }, { noParse: false })
    }),
)

const any = fc.oneof(changes, rowChanges)
/** Several changes in one entry, as a request with several actions makes them. */
const several: fc.Arbitrary<Change> = fc.array(any, { minLength: 2, maxLength: 4 }).map(
  (list): Change =>
    (doc) =>
      list.forEach((change) => change(doc)),
)
const writes = fc.array(
  fc.oneof({ weight: 4, arbitrary: any }, { weight: 1, arbitrary: several }),
  {
    minLength: 1,
    maxLength: 12,
  },
)

type Cells = Record<string, LogValue>
type State = Record<string, Cells[]>

/** All that a document holds, as it is stored. */
function stateOf({ connection, schema }: DocumentReader): State {
  const state: State = {}
  for (const { tableId } of [
    ...schema.tables,
    { tableId: '_grist_Tables' },
    { tableId: '_grist_Tables_column' },
  ]) {
    const columns = connection
      .pluck('SELECT name FROM pragma_table_info(?)')
      .all(tableId) as string[]
    const kinds = columns.map((name) => `typeof("${name}") AS "${name} kind"`)
    const rows = connection.db.prepare(
      `SELECT *, ${kinds.join(', ')} FROM "${tableId}" ORDER BY id`,
    )
    state[tableId] = rows.all() as Cells[]
  }
  return state
}

describe('undoing a change', () => {
  let folder: TempDir
  let store: DocumentStore
  beforeAll(async () => {
    folder = await tempDir()
    store = await openStore(folder.path, { maxOpen: 4 })
  })
  afterAll(async () => {
    await store[Symbol.asyncDispose]()
    await folder[Symbol.asyncDispose]()
  })

  const create = () => createTable(store, 'People', { Name: 'Text', Friend: 'Ref:People' })
  const look = (docId: string) => store.read<State>(docId, stateOf)
  const latest = (docId: string) => store.stateOf(docId).seq
  const revert = async (docId: string, seq: number) =>
    (await store.transact(docId, undo, (doc) => revertChange(doc, seq))).seq

  /** Does a change; false when it was refused or changed nothing. */
  const write = async (docId: string, change: Change) => {
    const before = latest(docId)
    try {
      await store.transact(docId, author, change)
    } catch (error) {
      expect(error).toBeInstanceOf(AppError)
    }
    return latest(docId) > before
  }

  it('gives exactly the state before the latest one, and undoing that the state after it', async () => {
    const run = async (list: readonly Change[]) => {
      const docId = await create()
      for (const change of list) {
        const before = look(docId)
        if (!(await write(docId, change))) continue
        const after = look(docId)
        let seq = latest(docId)
        for (const expected of [before, after, before, after]) {
          const next = await revert(docId, seq)
          expect(look(docId)).toEqual(expected)
          expect(next).toBe(seq + 1)
          store.read(docId, (doc) => requireAgreement(doc) as undefined)
          seq = next
        }
      }
    }
    await fc.assert(fc.asyncProperty(writes, run), { numRuns: 40 })
  })

  it('of earlier is refused and changes nothing, or changes just what it changed', async () => {
    const seen = { undone: 0, refused: 0 }
    const run = async (list: readonly Change[]) => {
      const docId = await create()
      for (const change of list) await write(docId, change)
      for (let seq = 2; seq <= list.length + 1 && seq < latest(docId); seq++) {
        const before = look(docId)
        const position = latest(docId)
        let failure: unknown
        const next = await revert(docId, seq).catch((error: unknown) => {
          failure = error
          return 0
        })
        if (failure !== undefined) {
          expect(failure).toMatchObject({ code: 'conflict', reason: 'CHANGED_SINCE' })
          expect(look(docId)).toEqual(before)
          expect(latest(docId)).toBe(position)
          seen.refused++
          continue
        }
        seen.undone++
        store.read(docId, (doc) => requireAgreement(doc) as undefined)
        requireUndone(docId, seq, before)
        await revert(docId, next)
        expect(look(docId)).toEqual(before)
      }
    }
    await fc.assert(fc.asyncProperty(writes, run), { numRuns: 40 })
    expect(Math.min(seen.undone, seen.refused)).toBeGreaterThan(10)
  })

  /** Entries that change rows alone: what they changed is as it was, all else as it is. */
  function requireUndone(docId: string, seq: number, before: State): void {
    const operations = store.read<readonly Operation[]>(
      docId,
      ({ connection }) => findEntry(connection, seq, 1e9)?.operations ?? [],
    )
    if (!operations.every((operation) => 'rowIds' in operation)) return
    const expected = structuredClone(before)
    const tables = store.read<Map<number, string>>(
      docId,
      ({ schema }) => new Map(schema.tables.map(({ ref, tableId }) => [ref, tableId])),
    )
    for (const operation of [...operations].reverse()) {
      if (!('rowIds' in operation)) continue
      const tableId = tables.get(operation.tableRef) ?? ''
      const rows = expected[tableId] ?? []
      if (operation.kind === 'add_rows')
        expected[tableId] = rows.filter(({ id }) => !operation.rowIds.includes(Number(id)))
      if (operation.kind === 'update_rows')
        operation.rowIds.forEach((id, i) => {
          const row = rows.find((row) => row.id === id)
          for (const { ref, old = [], new: after = [] } of operation.columns)
            if (row && old[i] !== after[i]) row[columnOf(docId, ref)?.id ?? ''] = old[i] ?? null
        })
      if (operation.kind === 'remove_rows')
        operation.rowIds.forEach((id, i) => {
          const row: Cells = { id }
          for (const { ref, type, old = [] } of operation.columns) {
            const column = columnOf(docId, ref)
            // What was empty is so in the way of the type of now.
            if (column?.typeName === type) row[column.id] = old[i] ?? null
          }
          rows.push(row)
        })
      expected[tableId]?.sort((a, b) => Number(a.id) - Number(b.id))
    }
    const now = look(docId)
    for (const [tableId, rows] of Object.entries(expected)) {
      expect(now[tableId]?.map(({ id }) => id)).toEqual(rows.map(({ id }) => id))
      rows.forEach((row, i) => {
        for (const [name, value] of Object.entries(row))
          if (!name.endsWith(' kind')) expect(now[tableId]?.[i]?.[name]).toBe(value)
      })
    }
  }

  const columnOf = (docId: string, ref: number) =>
    store.read<Column | undefined>(docId, ({ schema }) =>
      schema.tables.flatMap(({ columns }) => columns).find((column) => column.ref === ref),
    )
})
