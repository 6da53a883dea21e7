import fc from 'fast-check'
import { readLines } from './row-lines'

/** The bytes in chunks that end at these places. */
async function* cut(bytes: Buffer, places: readonly number[]) {
  const ends = [...places.map((place) => place % (bytes.length + 1)), bytes.length]
  ends.sort((a, b) => a - b)
  let start = 0
  for (const end of ends) {
    yield await Promise.resolve({ chunk: bytes.subarray(start, end) })
    start = end
  }
}

const line = fc
  .string({ unit: 'binary', minLength: 1, maxLength: 20 })
  .map((text) => JSON.stringify(text))

it('returns the lines that fit, wherever chunks are cut', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(line, { maxLength: 30 }),
      fc.array(fc.nat(), { maxLength: 8 }),
      fc.record({ skip: fc.nat(8), rows: fc.integer({ min: 1, max: 10 }), bytes: fc.nat(200) }),
      fc.boolean(),
      async (all, places, budget, isEnded) => {
        const text = all.join('\n') + (isEnded && all.length > 0 ? '\n' : '')
        const { lines, hasMore, isFull } = await readLines(cut(Buffer.from(text), places), budget)
        const left = all.slice(budget.skip)
        const sizes = left.map((one) => Buffer.byteLength(one) + 1)
        let fitting = 0
        for (let sum = 0; fitting < left.length; fitting++) {
          sum += sizes[fitting] ?? 0
          if (sum > budget.bytes) break
        }
        expect(lines).toEqual(left.slice(0, Math.min(fitting, budget.rows)))
        expect(hasMore).toBe(left.length > lines.length)
        expect(isFull).toBe(fitting < Math.min(budget.rows, left.length))
      },
    ),
  )
})
