/** Height of a lane at most, in pixels: browsers draw taller ones inexactly. */
const MAX_PIXELS = 8_000_000
/** Cards that are drawn before and after those in view. */
const BUFFER = 3

/** Returns the index of the row at a place of a list that leaves some indexes out. These are in ascending order. */
export function indexAt(place: number, skipped: readonly number[]): number {
  let index = place
  for (const one of skipped) {
    if (one > index) break
    index++
  }
  return index
}

/** Returns the place of the row at an index in a list that leaves some indexes out. */
export const placeOf = (index: number, skipped: readonly number[]): number =>
  index - skipped.filter((one) => one < index).length

/** Returns how many of the cards of a lane are shown. */
export const shownCount = (count: number, cardPixels: number): number =>
  Math.min(count, Math.floor(MAX_PIXELS / cardPixels))

/** A part of a lane. */
export interface Span {
  readonly first: number
  /** The place after the last one. */
  readonly end: number
}

/** Returns the places of the cards to draw in a part of a lane, in pixels. */
export function placesIn(
  { top, height }: { readonly top: number; readonly height: number },
  cardPixels: number,
): Span {
  const first = Math.max(0, Math.floor(top / cardPixels) - BUFFER)
  return { first, end: Math.ceil((top + height) / cardPixels) + BUFFER }
}
