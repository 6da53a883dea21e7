import * as fc from 'fast-check'
import { countBatch, type EventHead } from './batch-size'

const head = fc.record({
  kind: fc.constantFrom<EventHead['kind']>('add', 'update', 'remove'),
  bytes: fc.oneof(fc.nat(2_000), fc.nat(2_000_000)),
})
const bytesOf = (heads: readonly EventHead[]) =>
  heads.reduce((sum, { bytes }) => sum + bytes, 0) + heads.length + 1
const isRemoval = ({ kind }: EventHead) => kind === 'remove'

describe('a batch', () => {
  it('takes up to 100 events', () => {
    const heads = Array.from({ length: 250 }, () => ({ kind: 'add' as const, bytes: 20 }))
    expect(countBatch(heads)).toBe(100)
    expect(countBatch(heads.slice(0, 50))).toBe(50)
    expect(countBatch([])).toBe(0)
  })

  it('takes up to a MiB, and one event however large it is', () => {
    const half = { kind: 'add' as const, bytes: 524_286 }
    expect(countBatch([half, { ...half, bytes: 524_287 }, half])).toBe(2)
    expect(countBatch([half, { ...half, bytes: 524_288 }])).toBe(1)
    expect(countBatch([{ ...half, bytes: 5_000_000 }, half])).toBe(1)
  })

  it('is as long as it may be, and never mixes deleted rows with others', () => {
    fc.assert(
      fc.property(fc.array(head, { minLength: 1, maxLength: 150 }), (heads) => {
        const count = countBatch(heads)
        const batch = heads.slice(0, count)
        expect(count).toBeGreaterThanOrEqual(1)
        expect(count).toBeLessThanOrEqual(100)
        expect(new Set(batch.map(isRemoval)).size).toBe(1)
        if (count > 1) expect(bytesOf(batch)).toBeLessThanOrEqual(1024 * 1024)
        const more = heads.slice(0, count + 1)
        const isWhole =
          more.length === count ||
          count === 100 ||
          new Set(more.map(isRemoval)).size > 1 ||
          bytesOf(more) > 1024 * 1024
        expect(isWhole).toBe(true)
      }),
    )
  })
})
