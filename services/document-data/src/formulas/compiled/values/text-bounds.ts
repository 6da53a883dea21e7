import { needsPython } from './values'

/** Characters of a result at most; Python makes longer ones. */
export const MAX_TEXT = 100_000

/** A text that is not too long. */
export function bounded(text: string): string {
  return text.length <= MAX_TEXT ? text : needsPython()
}

/** Texts with a separator between them, if all of it is not too long. */
export function joined(texts: readonly string[], separator: string): string {
  const length = texts.reduce((sum, text) => sum + text.length + separator.length, 0)
  return length - separator.length <= MAX_TEXT ? texts.join(separator) : needsPython()
}

/** A text with parts of it replaced, which is given up as soon as it is too long. */
export function replaced(
  text: string,
  pattern: RegExp | string,
  replace: (...match: (string | undefined)[]) => string,
): string {
  let length = text.length
  return text.replaceAll(pattern, (...match: (string | undefined)[]) => {
    const made = replace(...match)
    length += made.length - (match[0] ?? '').length
    return length <= MAX_TEXT ? made : needsPython()
  })
}
