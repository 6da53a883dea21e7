import { distance } from 'fastest-levenshtein'

/** Longer names are not compared, so that the effort stays small whatever a request sends. */
const MAX_LENGTH = 64
/** More names are not compared. */
const MAX_NAMES = 5_000

/** How a misspelt name is answered. Names that the caller may not see must not be compared. */
export interface NearMiss {
  /** The end of a message: `; did you mean "People"?`, or empty. */
  readonly hint: string
  /** For the metadata of an error. */
  readonly details: { readonly suggestion?: string }
}

/** Finds the known name that was probably meant, without regard to case: up to a third of it may differ. */
export function findNearMiss(name: string, known: Iterable<string>): NearMiss {
  const found = name.length > MAX_LENGTH ? undefined : findNearest(name, take(known))
  if (found === undefined || found.far > Math.floor(name.length / 3))
    return { hint: '', details: {} }
  return { hint: `; did you mean "${found.known}"?`, details: { suggestion: found.known } }
}

/** Returns the known name that resembles the given one most; the first of several. */
export function findNearest(
  name: string,
  known: Iterable<string>,
): { readonly known: string; readonly far: number } | undefined {
  const lower = name.toLowerCase()
  let best: { known: string; far: number } | undefined
  for (const other of known) {
    if (best && Math.abs(other.length - name.length) >= best.far) continue
    const far = differenceOf(lower, other.toLowerCase())
    if (!best || far < best.far) best = { known: other, far }
  }
  return best
}

/** The edit distance, where letters in another order count once. */
function differenceOf(name: string, other: string): number {
  const far = distance(name, other)
  return far === 2 && sorted(name) === sorted(other) ? 1 : far
}

function sorted(text: string): string {
  return [...text].sort().join('')
}

function* take(names: Iterable<string>): Generator<string> {
  let count = 0
  for (const name of names) {
    if (count++ >= MAX_NAMES) return
    if (name.length <= MAX_LENGTH) yield name
  }
}
