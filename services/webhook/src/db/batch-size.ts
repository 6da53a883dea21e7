/** Maximum number of events in one delivery. */
const MAX_EVENTS = 100
/** Maximum size of its body, unless a single event is larger. */
const MAX_BYTES = 1024 * 1024

/** The facts about an event before its body is read. */
export interface EventHead {
  readonly kind: 'add' | 'update' | 'remove'
  readonly bytes: number
}

/**
 * Returns how many of the first events form one delivery: at least one, and never deleted rows together with
 * existing rows, since both look alike.
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
