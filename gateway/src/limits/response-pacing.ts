import { setTimeout as delay } from 'node:timers/promises'
import type { Load } from './load'

/** More than what a short request takes of the processor, in the gateway and behind it, in milliseconds. */
const REQUEST_MS = 2
/**
 * About what a megabyte of an answer takes of the processor, mostly in document-data, in milliseconds: as records it
 * takes 20 to 35, as a file of another form more, as an attachment 9. It is made while the one before waits for its
 * turn, so that the time between two pieces does not tell.
 */
const MEGABYTE_MS = 25
/** A long answer stands back for at most this many times as long as it has worked. */
const MAX_SHARE = 3
/** Shorter pauses gather: timers know whole milliseconds. */
const MIN_PAUSE_MS = 2
const MAX_PAUSE_MS = 100
/** All pauses of one answer together: document-data ends a read that is not taken within a minute. */
const MAX_PAUSES_MS = 15_000

/**
 * An answer as long as a table, which gives way to short requests: between its pieces it pauses for about as long as
 * those that came meanwhile need, so that it takes a fraction of the processor when others want it, and all of it else. It
 * has done enough of that after a while, so that it comes to its end however much is asked.
 */
export class LongAnswer implements Disposable {
  private owedMs = 0
  private leftMs = MAX_PAUSES_MS
  private seen: number
  private since = performance.now()

  constructor(
    private readonly load: Load,
    private readonly signal: AbortSignal,
  ) {
    load.longAnswers++
    this.seen = load.begun
  }

  /** Resolves when a piece may follow the one of so many bytes. Throws when the signal is aborted meanwhile. */
  giveWay(bytes: number): Promise<void> | undefined {
    const { begun, longAnswers } = this.load
    const now = performance.now()
    const workMs = Math.max(now - this.since, (bytes / 1e6) * MEGABYTE_MS)
    // Long answers stand back for the same requests: together they must not take more than one alone.
    const most = workMs * MAX_SHARE * longAnswers
    this.owedMs += Math.min((begun - this.seen) * REQUEST_MS, most)
    this.seen = begun
    this.since = now
    if (this.owedMs < MIN_PAUSE_MS || this.leftMs <= 0) return undefined
    return this.pause()
  }

  [Symbol.dispose](): void {
    this.load.longAnswers--
  }

  private async pause(): Promise<void> {
    const pauseMs = Math.min(this.owedMs, MAX_PAUSE_MS)
    this.owedMs = 0
    this.leftMs -= pauseMs
    await delay(pauseMs, undefined, { signal: this.signal })
    this.since = performance.now()
  }
}
