import { setTimeout as delay } from 'node:timers/promises'

/** Extent of the fault tests: short within `make test`; `make soak` sets these variables for a long run. */
const rounds = Number(process.env.SHEAF_SOAK_ROUNDS ?? 0)
const seconds = Number(process.env.SHEAF_SOAK_SECONDS ?? 0)

/** Rounds of one fault: `short` in a usual run; a long run sets the number. */
export function roundsOf(short: number): number {
  return rounds > 0 ? rounds : short
}

/** Time limit of a test with a limit of its own; a long run uses the limit set by `scripts/soak.js`. */
export function limitOf(shortMs: number): number {
  return rounds > 0 ? (seconds + 300) * 1000 : shortMs
}

/** True once a test has used up the time of a long run; a usual run is limited by its rounds. */
export function createTimeLimit(): () => boolean {
  const end = performance.now() + seconds * 1000
  return () => seconds > 0 && performance.now() > end
}

/** Runs the system until a random moment, so that a fault hits at an unpredictable point. */
export async function untilRandomMoment(minMs: number, maxMs: number): Promise<void> {
  await delay(minMs + Math.random() * (maxMs - minMs))
}

/** Reports progress in a long run; silent in a usual run. */
export function report(what: string): void {
  if (rounds > 0) process.stderr.write(`    ${what}\n`)
}
