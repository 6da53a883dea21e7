import fc from 'fast-check'
import { CallTable } from './call-table'

it('holds the same calls as a Map would, also when their ids share a slot', () => {
  const id = fc.oneof(
    fc.integer({ min: 1, max: 8 }),
    fc.integer({ min: 0, max: 5 }).map((n) => n * 1024 + 7),
  )
  const steps = fc.array(fc.record({ id, adds: fc.boolean() }), { maxLength: 60 })
  fc.assert(
    fc.property(steps, (all) => {
      const table = new CallTable<{ readonly id: number }>()
      const map = new Map<number, { readonly id: number }>()
      for (const { id, adds } of all) {
        const known = map.get(id)
        expect(table.get(id)).toBe(known)
        if (adds && !known) {
          const call = { id }
          table.add(call)
          map.set(id, call)
        } else if (!adds && known) {
          table.delete(known)
          map.delete(id)
        }
        expect(table.size).toBe(map.size)
      }
      expect(new Set(table.list())).toEqual(new Set(map.values()))
    }),
  )
})
