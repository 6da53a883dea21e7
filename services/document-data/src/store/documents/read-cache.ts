import type { ByteBudget } from '../sqlite/byte-budget'
import { RowCounts } from '../reads/row-counts'
import type { ReadPlan } from '../reads/read-plan'
import type { StoreFigures } from './shared-resources'

/** Cached replies of one document. */
const MAX_REPLIES = 32
type Figures = Pick<StoreFigures, 'repliesKept' | 'repliesMade'>

/** Bytes of a reply above which it is not cached. */
const MAX_REPLY_BYTES = 64 * 1024
/** Bytes of a reply above which it is read in chunks, however few its rows: a client may take long to read it. */
const MAX_WHOLE_BYTES = 1024 * 1024
/** Plans with a longer key are not remembered as long. */
const MAX_KEY_LENGTH = 4096

/**
 * Cache of small replies of one document, valid until the next write: many clients request the same page
 * repeatedly, and SQLite accounts for half the cost of such a call.
 */
export class ReadCache {
  /** The numbers of rows of tables. They outlive writes, which change them. */
  readonly counts: RowCounts
  private readonly replies = new Map<string, Buffer>()
  /** Keys of plans whose replies were too long for one piece. Only a hint, so it outlives writes. */
  private readonly long = new Set<string>()

  /** @param seq the log position of the committed state */
  constructor(
    private readonly budget: ByteBudget,
    private readonly figures: Figures = { repliesKept: 0, repliesMade: 0 },
    seq = 0,
  ) {
    this.counts = new RowCounts(seq)
  }

  /**
   * The reply to the plan, read when it is not cached; undefined when it has to be read in chunks. Its bytes must
   * not be modified.
   */
  get(plan: ReadPlan, read: () => Buffer): Buffer | undefined {
    const key = keyOf(plan)
    if (this.long.has(key)) return undefined
    const kept = this.replies.get(key)
    if (kept) {
      this.figures.repliesKept++
      return kept
    }
    this.figures.repliesMade++
    const reply = read()
    if (!isWhole(reply)) return this.noteLong(key)
    if (reply.length <= MAX_REPLY_BYTES && this.budget.take(reply.length)) {
      this.replies.set(key, reply)
      if (this.replies.size > MAX_REPLIES) this.dropOldest()
    }
    return reply
  }

  /** Empties the cache, after a write. */
  clear(): void {
    for (const reply of this.replies.values()) this.budget.give(reply.length)
    this.replies.clear()
  }

  private noteLong(key: string): undefined {
    if (key.length <= MAX_KEY_LENGTH) this.long.add(key)
    const [oldest] = this.long
    if (this.long.size > MAX_REPLIES && oldest !== undefined) this.long.delete(oldest)
  }

  private dropOldest(): void {
    for (const [key, reply] of this.replies) {
      this.budget.give(reply.length)
      this.replies.delete(key)
      return
    }
  }
}

/** True for a reply that may be sent in one piece. */
export function isWhole({ length }: Buffer): boolean {
  return length <= MAX_WHOLE_BYTES
}

/** Values that JSON cannot distinguish: bigint from text, non-finite numbers from null. */
function asText(_key: string, value: unknown): unknown {
  const isSpecial = typeof value === 'number' && !Number.isFinite(value)
  return isSpecial || typeof value === 'bigint' ? { [typeof value]: String(value) } : value
}

/** Different plans have different keys: each value is preceded by its type and length. */
function keyOf({
  from,
  row,
  columns,
  where,
  order,
  limit,
  offset,
  params,
  extras,
}: ReadPlan): string {
  const values = [...params, ...order.params].map((value) => {
    const text = String(value)
    return `${typeof value}${text.length}:${text}`
  })
  const form = columns || extras ? JSON.stringify([columns, extras], asText) : ''
  return [from, row, form, where, order.sql, limit, offset, ...values].join('\n')
}
