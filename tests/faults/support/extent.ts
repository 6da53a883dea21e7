import { setTimeout as delay } from 'node:timers/promises'

/** How long fault tests run: short within `make test`; `make soak` sets these to run long. */
const rounds = Number(process.env.SHEAF_SOAK_ROUNDS ?? 0)
const seconds = Number(process.env.SHEAF_SOAK_SECONDS ?? 0)

/** Rounds of one fault: `short` of them in a usual run; in a long one as many as it asks for. */
export function roundsOf(short: number): number {
  return rounds > 0 ? rounds : short
}

/** Limit of a test that needs another one than usual; a long run gives what `scripts/soak.js` says. */
export function limitOf(shortMs: number): number {
  return rounds > 0 ? (seconds + 300) * 1000 : shortMs
}

/** True once a test has used up the time that a long run gives it; a usual run is bounded by its rounds. */
export function createTimeLimit(): () => boolean {
  const end = performance.now() + seconds * 1000
  return () => seconds > 0 && performance.now() > end
}

/** Lets the system work until a moment that nothing foresees: what a fault hits must be a matter of chance. */
export async function untilRandomMoment(minMs: number, maxMs: number): Promise<void> {
  await delay(minMs + Math.random() * (maxMs - minMs))
}

/** Tells a long run what was done; a usual run says nothing. */
export function report(what: string): void {
  if (rounds > 0) process.stderr.write(`    ${what}\n`)
}
