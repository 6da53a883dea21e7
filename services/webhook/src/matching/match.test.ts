import type { Operation, RowChange } from '@sheaf/protos/sheaf/events/v1/changes'
import fc from 'fast-check'
import type { Definition, EventKind } from './definitions'
import { matchEntry, needsWholeRows } from './match'

const TABLE = 7
const READY = 11
const A = 12
const B = 13

type Cells = Record<string, unknown>

const refs: Readonly<Record<string, number>> = { manualSort: 0, Ready: READY, A, B, C: 14 }
const json = (values: unknown[]) => Buffer.from(JSON.stringify(values))
const NOTHING = Buffer.alloc(0)

function change(rows: { id: number; old?: Cells; now?: Cells }[]): RowChange {
  const names = [...new Set(rows.flatMap(({ old, now }) => Object.keys(now ?? old ?? {})))]
  return {
    tableId: 'T',
    tableRef: TABLE,
    rowIds: rows.map(({ id }) => id),
    columns: names.map((name) => {
      const hasOld = rows.some(({ old }) => old && name in old)
      const hasNew = rows.some(({ now }) => now && name in now)
      return {
        colId: name,
        colRef: refs[name] ?? 0,
        oldValuesJson: hasOld
          ? json(rows.map(({ old, now }) => (old && name in old ? old : now)?.[name]))
          : NOTHING,
        newValuesJson: hasNew ? json(rows.map(({ now }) => now?.[name])) : NOTHING,
      }
    }),
  }
}

const add = (id: number, now: Cells): Operation => ({
  operation: { $case: 'addRows', value: change([{ id, now }]) },
})
const remove = (id: number, old: Cells): Operation => ({
  operation: { $case: 'removeRows', value: change([{ id, old }]) },
})
/** Whole rows: unchanged cells have no old values. */
const update = (id: number, before: Cells, changed: Cells): Operation => {
  const old = Object.fromEntries(Object.keys(changed).map((name) => [name, before[name]]))
  return {
    operation: {
      $case: 'updateRows',
      value: change([{ id, old, now: { ...before, ...changed } }]),
    },
  }
}
const schema = (kind: string, more: { colId?: string; now?: object } = {}): Operation => ({
  operation: {
    $case: 'schema',
    value: {
      kind,
      tableId: 'T',
      tableRef: TABLE,
      colId: more.colId ?? '',
      colRef: refs[more.colId ?? ''] ?? 0,
      oldJson: NOTHING,
      newJson: more.now ? Buffer.from(JSON.stringify(more.now)) : NOTHING,
      rowIds: [],
      oldValuesJson: NOTHING,
    },
  },
})

const webhook = (more: Partial<Definition> = {}): Definition => ({
  id: 'w',
  kinds: ['add', 'update', 'remove'],
  tableRef: TABLE,
  readyRef: null,
  watchedRefs: [],
  ...more,
})

const fired = (operations: Operation[], definition: Definition) =>
  matchEntry({ operations }, [definition]).events.map(({ kind, body }) => [
    kind,
    JSON.parse(body) as unknown,
  ])
const kindsOf = (operations: Operation[], definition: Definition) =>
  fired(operations, definition).map(([kind]) => kind)

describe('matchEntry', () => {
  it('follows a row that becomes ready, is changed, and is no longer ready', () => {
    const definition = webhook({ readyRef: READY, watchedRefs: [A] })
    const row: Cells = { Ready: false, A: 'a', B: 1 }
    expect(kindsOf([add(1, row)], definition)).toEqual([])
    const steps: [Cells, string[]][] = [
      [{ B: 2 }, []],
      [{ Ready: true }, ['add']],
      [{ B: 3 }, []],
      [{ A: 'a2' }, ['update']],
      [{ Ready: false }, []],
      [{ A: 'a3' }, []],
      [{ Ready: true }, ['add']],
      [{ Ready: 'maybe' }, []],
      [{ Ready: 1 }, []],
    ]
    for (const [changed, kinds] of steps) {
      expect(kindsOf([update(1, row, changed)], definition)).toEqual(kinds)
      Object.assign(row, changed)
    }
  })

  it('says nothing of a write that changes no value', () => {
    const row = { A: 'a', B: 1 }
    expect(kindsOf([update(1, row, { A: 'a' })], webhook())).toEqual([])
    expect(kindsOf([update(1, row, { A: 'a', B: 2 })], webhook({ watchedRefs: [A] }))).toEqual([])
  })

  it('tells of a removed row that was ready, as it was', () => {
    const definition = webhook({ readyRef: READY, kinds: ['remove'] })
    const row = { manualSort: 1, Ready: true, A: 'a' }
    expect(fired([remove(4, row)], definition)).toEqual([['remove', { id: 4, ...row }]])
    expect(fired([remove(4, { ...row, Ready: false })], definition)).toEqual([])
    expect(fired([remove(4, row)], webhook({ kinds: ['add', 'update'] }))).toEqual([])
  })

  it('fires one event for a row however often one bundle changes it', () => {
    const first = { A: 'a', B: 1 }
    const changes = [update(1, first, { A: 'b' }), update(1, { ...first, A: 'b' }, { B: 2 })]
    expect(fired([add(1, first), ...changes], webhook())).toEqual([
      ['add', { id: 1, A: 'b', B: 2 }],
    ])
    expect(fired(changes, webhook())).toEqual([['update', { id: 1, A: 'b', B: 2 }]])
    expect(fired([add(1, first), remove(1, first)], webhook())).toEqual([])
    const back = [update(1, first, { A: 'b' }), update(1, { ...first, A: 'b' }, { A: 'a' })]
    expect(fired(back, webhook())).toEqual([])
  })

  it('writes rows flat, id and position first, and their values unchanged', () => {
    const operations = [add(3, { A: ['L', 'x'], manualSort: 2.5, B: null })]
    const { events } = matchEntry({ operations }, [webhook()])
    expect(events).toEqual([
      {
        webhookId: 'w',
        rowNumber: 0,
        kind: 'add',
        body: '{"id":3,"manualSort":2.5,"A":["L","x"],"B":null}',
      },
    ])
    const value = change([{ id: 1, now: { A: 0 } }])
    const column = value.columns[0]
    if (column) column.newValuesJson = Buffer.from('[12345678901234567890.10]')
    const exact = matchEntry({ operations: [{ operation: { $case: 'addRows', value } }] }, [
      webhook(),
    ])
    expect(exact.events[0]?.body).toBe('{"id":1,"A":12345678901234567890.10}')
  })

  it('shows columns as they are after the whole bundle', () => {
    const operations = [
      add(1, { A: 'a', B: 1 }),
      schema('update_column', { colId: 'A', now: { colId: 'Z' } }),
      schema('remove_column', { colId: 'B' }),
      schema('add_column', { colId: 'C', now: { colId: 'C', type: 'Text' } }),
    ]
    expect(fired(operations, webhook())).toEqual([['add', { id: 1, Z: 'a', C: '' }]])
  })

  it('follows the removal of columns and tables, and takes nothing up again', () => {
    const definition = webhook({ readyRef: READY, watchedRefs: [A, B] })
    const after = (...operations: Operation[]) =>
      matchEntry({ operations }, [definition]).definitions
    expect(after(schema('remove_column', { colId: 'Ready' }))).toEqual([
      { ...definition, readyRef: null },
    ])
    expect(after(schema('remove_column', { colId: 'A' }))).toEqual([
      { ...definition, watchedRefs: [B] },
    ])
    expect(after(schema('update_column', { colId: 'A', now: { colId: 'Q' } }))[0]).toBe(definition)
    const gone = { ...definition, tableRef: null, readyRef: null, watchedRefs: [] }
    expect(after(schema('remove_table'))).toEqual([gone])
    expect(after(schema('remove_table'), schema('add_table'))).toEqual([gone])
  })

  it('counts all rows as ready once the ready column is gone', () => {
    const row = { Ready: false, A: 'a' }
    const operations = [update(1, row, { A: 'b' }), schema('remove_column', { colId: 'Ready' })]
    expect(kindsOf(operations, webhook({ readyRef: READY }))).toEqual(['add'])
  })

  it('tells of rows that go with their table', () => {
    const row = { A: 'a' }
    const operations = [remove(1, row), remove(2, row), schema('remove_table')]
    expect(kindsOf(operations, webhook())).toEqual(['remove', 'remove'])
  })

  it('numbers the rows of an entry in the same way when it comes in pieces', () => {
    const operations = Array.from({ length: 6 }, (_, i) => add(i + 1, { A: i }))
    const whole = matchEntry({ operations }, [webhook()])
    const first = matchEntry({ operations: operations.slice(0, 4) }, [webhook()])
    const rest = matchEntry({ operations: operations.slice(4) }, [webhook()], first.rowCounts)
    expect([...first.events, ...rest.events]).toEqual(whole.events)
  })

  it('refuses a change whose values are not as many as its rows', () => {
    const value = { ...change([{ id: 1, now: { A: 1 } }]), rowIds: [1, 2] }
    const operations: Operation[] = [{ operation: { $case: 'addRows', value } }]
    expect(() => matchEntry({ operations }, [webhook()])).toThrow(RangeError)
  })
})

describe('needsWholeRows', () => {
  const entry = (operations: Operation[], truncated = false) => ({
    docId: '',
    seq: 1,
    timeMs: 0,
    userId: 0,
    cause: 0,
    traceparent: '',
    operations,
    truncated,
  })

  it('is true of updates that can fire, and of what was left out', () => {
    const updates = entry([update(1, { A: 1 }, { A: 2 })])
    expect(needsWholeRows(updates, [webhook()])).toBe(true)
    expect(needsWholeRows(updates, [webhook({ kinds: ['add'], readyRef: READY })])).toBe(true)
    expect(needsWholeRows(updates, [webhook({ kinds: ['add', 'remove'] })])).toBe(false)
    expect(needsWholeRows(updates, [webhook({ tableRef: 99 })])).toBe(false)
    expect(needsWholeRows(entry([add(1, {}), remove(1, {})]), [webhook()])).toBe(false)
    expect(needsWholeRows(entry([], true), [webhook()])).toBe(true)
  })
})

/** A step of a bundle: cells of a row, or its deletion. */
const step = fc.record({
  id: fc.integer({ min: 1, max: 3 }),
  cells: fc.option(
    fc.record(
      { Ready: fc.constantFrom<unknown>(true, false, 'x'), A: fc.nat(1), B: fc.nat(1) },
      { requiredKeys: [] },
    ),
    { freq: 3 },
  ),
})
const anyWebhook = fc.record({
  id: fc.constant('w'),
  kinds: fc.subarray<EventKind>(['add', 'update', 'remove'], { minLength: 1 }),
  tableRef: fc.constant(TABLE),
  readyRef: fc.constantFrom(null, READY),
  watchedRefs: fc.subarray([A, B]),
})

/** Computes the expected events from all rows before and after a bundle. */
function expectEvents(
  before: Map<number, Cells>,
  after: Map<number, Cells>,
  definition: Definition,
) {
  const isReady = (row?: Cells) =>
    row !== undefined && (definition.readyRef === null || row.Ready === true)
  const watched = ['Ready', 'A', 'B'].filter(
    (name) =>
      definition.watchedRefs.length === 0 || definition.watchedRefs.includes(refs[name] ?? 0),
  )
  return [1, 2, 3].flatMap((id) => {
    const [old, now] = [before.get(id), after.get(id)]
    const has = (kind: EventKind) => definition.kinds.includes(kind)
    if (!now)
      return isReady(old) && has('remove') ? [`remove ${JSON.stringify({ id, ...old })}`] : []
    if (!isReady(now)) return []
    const body = JSON.stringify({ id, ...now })
    if (!isReady(old)) return has('add') ? [`add ${body}`] : []
    const changed = watched.some((name) => old?.[name] !== now[name])
    return changed && has('update') ? [`update ${body}`] : []
  })
}

it('fires what a comparison of all rows before and after each bundle asks for', () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(step, { maxLength: 6 }), { maxLength: 6 }),
      anyWebhook,
      (bundles, definition) => {
        const rows = new Map<number, Cells>()
        for (const bundle of bundles) {
          const before = new Map([...rows].map(([id, row]) => [id, { ...row }]))
          const operations = bundle.flatMap(({ id, cells }) => {
            const row = rows.get(id)
            if (cells === null) {
              rows.delete(id)
              return row ? [remove(id, row)] : []
            }
            rows.set(id, { Ready: false, A: 0, B: 0, ...row, ...cells })
            return row ? [update(id, row, cells)] : [add(id, rows.get(id) ?? {})]
          })
          const { events } = matchEntry({ operations }, [definition])
          const got = events.map(({ kind, body }) => `${kind} ${body}`)
          expect(got.sort()).toEqual(expectEvents(before, rows, definition).sort())
        }
      },
    ),
  )
})
