import { toUSVString } from 'node:util'

/** Returns at most the first `length` UTF-16 code units of a text, without splitting a surrogate pair. */
export function cutText(text: string, length: number): string {
  if (text.length <= length) return text
  const cut = text.slice(0, length)
  return /[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut
}

/** Length at which input that an error message repeats is cut, in UTF-16 units. */
const MAX_QUOTED = 40

/**
 * Input as an error message repeats it: well-formed Unicode, and at most `max` UTF-16 units, followed by `…` if
 * it was longer.
 */
export function shorten(input: string, max = MAX_QUOTED): string {
  return toUSVString(input.length > max ? `${cutText(input, max)}…` : input)
}
