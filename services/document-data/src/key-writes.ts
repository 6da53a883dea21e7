import { AppError } from '@sheaf/kit/errors'

const MINUTE_MS = 60_000
/** Whole minutes that count beside the current one. */
const WINDOW = 60
/** Keys and documents counted at once, about 1 KB each with writes in every minute. */
const MAX_COUNTED = 10_000

/** Rows by the minute in which they were written, oldest first. */
type Minutes = Map<number, number>

/** Rows that were counted, so that they can be given back. */
export interface Counted {
  readonly of: string
  readonly minute: number
  readonly rows: number
}

/**
 * Rows that API keys with an hourly cap have written into documents. A document is written by one instance alone, so
 * that counting per key and document in its memory is exact for all gateways; a restart or a move of the document
 * begins the count anew.
 */
export class KeyWrites {
  private readonly counted = new Map<string, Minutes>()

  /** @param now clock in milliseconds that is never set back */
  constructor(private readonly now: () => number = () => performance.now()) {}

  /**
   * Counts rows of a key and document, at most `cap` of them, or throws `too_many` if there would be more than `cap`
   * within an hour.
   */
  count(of: string, rows: number, cap: number): Counted {
    const minute = Math.floor(this.now() / MINUTE_MS)
    const minutes = this.counted.get(of) ?? this.add(of, minute)
    dropOld(minutes, minute)
    const free = minuteWithRoom(minutes, cap - rows)
    if (free !== undefined) throw capReached(cap, (free + WINDOW + 1) * MINUTE_MS - this.now())
    minutes.set(minute, (minutes.get(minute) ?? 0) + rows)
    return { of, minute, rows }
  }

  /** Gives back rows that were not written after all. */
  giveBack({ of, minute, rows }: Counted): void {
    const minutes = this.counted.get(of)
    const before = minutes?.get(minute)
    if (minutes && before !== undefined) minutes.set(minute, before - rows)
  }

  /** Begins to count for one more key and document. Never forgets rows that still count, but refuses the new one. */
  private add(of: string, minute: number): Minutes {
    if (this.counted.size >= MAX_COUNTED) {
      for (const [other, minutes] of this.counted) {
        dropOld(minutes, minute)
        if (minutes.size === 0) this.counted.delete(other)
      }
      if (this.counted.size >= MAX_COUNTED)
        throw new AppError(
          'unavailable',
          'TOO_MANY_CAPPED_KEYS',
          'too many keys with an hourly cap are writing, retry later',
          { retryAfterMs: String(MINUTE_MS) },
        )
    }
    const minutes: Minutes = new Map()
    this.counted.set(of, minutes)
    return minutes
  }
}

/** The minute after whose end no more than `most` rows count; undefined when that is so now. */
function minuteWithRoom(minutes: Minutes, most: number): number | undefined {
  let left = [...minutes.values()].reduce((sum, rows) => sum + rows, 0)
  if (left <= most) return undefined
  for (const [minute, rows] of minutes) {
    left -= rows
    if (left <= most) return minute
  }
  return undefined
}

function dropOld(minutes: Minutes, now: number): void {
  for (const minute of minutes.keys()) if (minute < now - WINDOW) minutes.delete(minute)
}

function capReached(cap: number, waitMs: number): AppError {
  const message = `the API key may write at most ${cap} rows into this document within an hour`
  const metadata = { cap: 'rowsPerHour', retryAfterMs: String(Math.ceil(waitMs)) }
  return new AppError('too_many', 'KEY_ROWS_PER_HOUR', message, metadata)
}
