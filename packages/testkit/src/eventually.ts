import { setTimeout as sleep } from 'node:timers/promises'

/** Timeout and polling interval of `eventually`, in milliseconds. */
export interface EventuallyOptions {
  /** 60 s by default, since a busy machine may be slow. */
  timeoutMs?: number
  /** 20 ms by default. */
  everyMs?: number
}

/** Results that count as a failed attempt. */
type Falsy = false | 0 | '' | null | undefined

/**
 * Calls `attempt` until it returns a truthy value, or returns nothing without throwing (expectations in a
 * block), and resolves to that value. On a timeout, throws an error whose cause is the last failure.
 */
export async function eventually<T>(
  attempt: () => T | Promise<T>,
  { timeoutMs = 60_000, everyMs = 20 }: EventuallyOptions = {},
): Promise<Exclude<T, Falsy>> {
  const deadline = performance.now() + timeoutMs
  for (;;) {
    const outcome = await tryOnce(attempt)
    if (outcome.done) return outcome.value as Exclude<T, Falsy>
    if (performance.now() >= deadline) {
      throw new Error(`not within ${timeoutMs} ms: ${outcome.reason}`, { cause: outcome.cause })
    }
    await sleep(everyMs)
  }
}

type Outcome<T> = { done: true; value: T } | { done: false; reason: string; cause?: unknown }

async function tryOnce<T>(attempt: () => T | Promise<T>): Promise<Outcome<T>> {
  try {
    const value = await attempt()
    if (value || value === undefined) return { done: true, value }
    return { done: false, reason: `it was still ${JSON.stringify(value)}` }
  } catch (error) {
    return {
      done: false,
      reason: error instanceof Error ? error.message : String(error),
      cause: error,
    }
  }
}
