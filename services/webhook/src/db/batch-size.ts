/** Most events of one delivery … */
const MAX_EVENTS = 100
/** … and most bytes of its body, unless one event alone has more. */
const MAX_BYTES = 1024 * 1024

/** What is known of an event before its body is read. */
export interface EventHead {
  readonly kind: 'add' | 'update' | 'remove'
  readonly bytes: number
}

/**
 * How many of the first events make one delivery: at least one, and never deleted rows together with rows that are
 * there, since both look alike.
 */
export function countBatch(heads: readonly EventHead[]): number {
  const [first] = heads
  let bytes = '[]'.length
  let count = 0
  for (const { kind, bytes: size } of heads) {
    bytes += size + (count > 0 ? ','.length : 0)
    const isLike = (kind === 'remove') === (first?.kind === 'remove')
    if (count > 0 && (!isLike || bytes > MAX_BYTES || count === MAX_EVENTS)) return count
    count++
  }
  return count
}
