/** Objects of a store that are read or written at once for one document. */
const AT_ONCE = 8

/** Does the same with the numbers below `count`, a few at once. */
export async function inTurn(count: number, run: (index: number) => Promise<void>): Promise<void> {
  let next = 0
  const work = async () => {
    while (next < count) await run(next++)
  }
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, count) }, work))
}
