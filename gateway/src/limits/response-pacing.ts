import { setTimeout as delay } from 'node:timers/promises'
import type { Load } from './load'

/**
 * An upper estimate of the processor time of a short request, in the gateway and behind it, in milliseconds.
 */
const REQUEST_MS = 2
/**
 * The approximate processor time of a megabyte of a response, mostly in document-data, in milliseconds: 20 to
 * 35 as records, more in other file formats, 9 as an attachment. A chunk is produced while the previous one
 * is paused, so the time between two chunks does not measure it.
 */
const MEGABYTE_MS = 25
/** A response pauses for at most this many times its own processor time. */
const MAX_SHARE = 3
/** Shorter pauses accumulate: timers have a resolution of one millisecond. */
const MIN_PAUSE_MS = 2
const MAX_PAUSE_MS = 100
/** Total pause of one response: document-data ends a read whose client stalls for a minute. */
const MAX_PAUSES_MS = 15_000

/**
 * Paces a table-sized response so that it does not delay short requests: between its chunks it pauses for
 * about as long as the requests need that arrived meanwhile. It uses a fraction of the processor under load,
 * and all of it otherwise. The total pause is limited, so that a response completes under any load.
 */
export class ResponsePacer implements Disposable {
  private owedMs = 0
  private leftMs = MAX_PAUSES_MS
  private seen: number
  private since = performance.now()

  constructor(
    private readonly load: Load,
    private readonly signal: AbortSignal,
  ) {
    load.pacedResponses++
    this.seen = load.begun
  }

  /**
   * Resolves when the next chunk may follow one of `bytes` bytes. Throws when the signal is aborted
   * meanwhile.
   */
  pace(bytes: number): Promise<void> | undefined {
    const { begun, pacedResponses } = this.load
    const now = performance.now()
    const workMs = Math.max(now - this.since, (bytes / 1e6) * MEGABYTE_MS)
    // All paced responses pause for the same requests: together they must not pause longer than one alone.
    const most = workMs * MAX_SHARE * pacedResponses
    this.owedMs += Math.min((begun - this.seen) * REQUEST_MS, most)
    this.seen = begun
    this.since = now
    if (this.owedMs < MIN_PAUSE_MS || this.leftMs <= 0) return undefined
    return this.pause()
  }

  [Symbol.dispose](): void {
    this.load.pacedResponses--
  }

  private async pause(): Promise<void> {
    const pauseMs = Math.min(this.owedMs, MAX_PAUSE_MS)
    this.owedMs = 0
    this.leftMs -= pauseMs
    await delay(pauseMs, undefined, { signal: this.signal })
    this.since = performance.now()
  }
}
