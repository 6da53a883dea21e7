/** Maximum wait until a row is loaded, or a cell is drawn. */
const WAIT_MS = 20_000

/** Resolves to true once a condition is met; to false when it is no longer wanted, or after a long time. */
export async function until(isWanted: () => boolean, isMet: () => boolean): Promise<boolean> {
  const deadline = performance.now() + WAIT_MS
  while (isWanted() && !isMet() && performance.now() < deadline)
    await new Promise(requestAnimationFrame)
  return isWanted() && isMet()
}
