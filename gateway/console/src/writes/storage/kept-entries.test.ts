import * as fc from 'fast-check'
import type { TableEntry } from '../table/table-entry'
import { KeptEntries, type OutboxEntry } from './kept-entries'

const write = (id: string, value: unknown, key = 'k'): TableEntry => ({
  id,
  enteredAt: 1,
  key,
  rows: [
    {
      id: 1,
      fields: { Name: value },
      before: { Name: 'old', Age: 3 },
      place: 'row 1',
      colRefs: { Name: 7, Age: 8 },
    },
  ],
})
const name = { docName: 'Plan', tableId: 'T' }
const placed = (entry: TableEntry, table = 7): OutboxEntry => ({ docId: '1', table, name, entry })
const keyOf = (id: string, table = 7) => [5, 'page', '1', table, id]

let kept: KeptEntries
beforeEach(() => {
  kept = new KeptEntries(5, 'page')
})

describe('the entries that the browser has', () => {
  it('are stored once, without the other cells of their rows', () => {
    const entry = write('w1', 'new')
    const { put, remove, left } = kept.plan([placed(entry)], 1_000)
    expect([put.map(([key]) => key), remove, left]).toEqual([[keyOf('w1')], [], 0])
    expect(put[0]?.[1]).toMatchObject({ docName: 'Plan', tableId: 'T' })
    expect(put[0]?.[1].contents).toMatchObject({ rows: [{ colRefs: { Name: 7 } }] })
    expect(JSON.stringify(put)).not.toContain('Age')
    expect(kept.plan([placed(entry)], 1_000)).toEqual({ put: [], remove: [], left: 0 })
  })

  it('are stored again when they have changed, and deleted when they are gone', () => {
    kept.plan([placed(write('w1', 'new')), placed(write('w1', 'new'), 8)], 1_000)
    const { put, remove } = kept.plan([placed(write('w1', 'newer'))], 1_000)
    expect(put.map(([key]) => key)).toEqual([keyOf('w1')])
    expect(remove).toEqual([keyOf('w1', 8)])
  })

  it('are those for which there is room; an earlier form of another one is deleted', () => {
    const size = JSON.stringify(kept.plan([placed(write('w1', ''))], 1_000).put[0]?.[1]).length
    const long = placed(write('w1', 'x'.repeat(size)))
    const { put, remove, left } = kept.plan([long, placed(write('w2', ''))], 2 * size - 1)
    expect(put.map(([key]) => key)).toEqual([keyOf('w2')])
    expect([remove, left]).toEqual([[keyOf('w1')], 1])
    expect(kept.plan([long], 2 * size).put.map(([key]) => key)).toEqual([keyOf('w1')])
  })

  it('are stored at the next occasion if that failed', () => {
    const entries = [placed(write('w1', 'new'))]
    kept.lose(kept.plan(entries, 1_000))
    expect(kept.plan(entries, 1_000).put).toHaveLength(1)
  })

  it('are always the present ones', () => {
    const entry = fc.record({ id: fc.constantFrom('w1', 'w2', 'd3'), value: fc.string() })
    const steps = fc.array(fc.uniqueArray(entry, { selector: ({ id }) => id }))
    fc.assert(
      fc.property(steps, fc.integer({ min: 0, max: 1_000 }), (states, limit) => {
        const ours = new KeptEntries(5, 'page')
        const stored = new Map<string, string>()
        for (const state of states) {
          const present = state.map(({ id, value }) => placed(write(id, value)))
          const { put, remove, left } = ours.plan(present, limit)
          for (const key of remove) stored.delete(JSON.stringify(key))
          for (const [key, value] of put) stored.set(JSON.stringify(key), JSON.stringify(value))
          const ids = new Set(state.map(({ id }) => JSON.stringify(keyOf(id))))
          expect([...stored.keys()].every((key) => ids.has(key))).toBe(true)
          expect(stored.size + left).toBe(state.length)
          const total = [...stored.values()].reduce((sum, text) => sum + text.length, 0)
          expect(total).toBeLessThanOrEqual(limit)
        }
      }),
    )
  })
})
