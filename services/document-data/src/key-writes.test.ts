import fc from 'fast-check'
import { KeyWrites } from './key-writes'

const HOUR = 3_600_000

function counter() {
  const clock = { ms: 0 }
  return { clock, writes: new KeyWrites(() => clock.ms) }
}

it('refuses rows beyond the cap, and tells when there is room', () => {
  const { clock, writes } = counter()
  writes.count('k', 6, 10)
  clock.ms = HOUR / 2
  writes.count('k', 4, 10)

  expect(() => writes.count('k', 5, 10)).toThrow(
    expect.objectContaining({
      reason: 'KEY_ROWS_PER_HOUR',
      metadata: { cap: 'rowsPerHour', retryAfterMs: String(HOUR / 2 + 60_000) },
    }) as Error,
  )
  clock.ms += HOUR / 2 + 60_000
  expect(writes.count('k', 5, 10)).toMatchObject({ rows: 5 })
})

it('counts keys and documents apart', () => {
  const { writes } = counter()
  writes.count('a', 10, 10)

  expect(writes.count('b', 10, 10)).toMatchObject({ rows: 10 })
})

it('takes rows back that were not written', () => {
  const { writes } = counter()
  writes.giveBack(writes.count('k', 10, 10))

  expect(writes.count('k', 10, 10)).toMatchObject({ rows: 10 })
})

it('never admits more than the cap within any hour', () => {
  const attempts = fc.array(fc.record({ after: fc.nat(20 * 60_000), rows: fc.nat(10) }), {
    maxLength: 60,
  })
  fc.assert(
    fc.property(attempts, (list) => {
      const { clock, writes } = counter()
      const admitted: { at: number; rows: number }[] = []
      for (const { after, rows } of list) {
        clock.ms += after
        try {
          writes.count('k', rows, 10)
        } catch {
          continue
        }
        admitted.push({ at: clock.ms, rows })
        const recent = admitted.filter(({ at }) => at > clock.ms - HOUR)
        expect(recent.reduce((sum, { rows: some }) => sum + some, 0)).toBeLessThanOrEqual(10)
      }
    }),
  )
})
