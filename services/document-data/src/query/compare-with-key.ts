import { LEVEL } from './sort-keys'

/** Characters up to this one have a meaning in keys. */
const LAST_LEVEL = LEVEL.charCodeAt(0)
/** The order of UTF-16 is not that of UTF-8 from here on. */
const FIRST_SURROGATE = 0xd800
const LAST_SURROGATE = 0xdfff

/** Marks in `letters`; no letter has these codes. */
const UNKNOWN = 0
const OTHER = 1

/** The letter of each UTF-16 code unit without accents and case, as far as one was needed; OTHER where that is not one. */
const letters = new Uint16Array(0x10000)

/**
 * Compares text with a sort key by their letters alone, without making the key of the text: -1 when the key of the text
 * is certainly lower, 1 when it is certainly higher, 0 when only the key itself can tell. Most text differs from a key in
 * its first characters.
 */
export function compareWithKey(text: unknown, key: unknown): number {
  if (typeof text !== 'string' || typeof key !== 'string') return 0
  const length = Math.min(text.length, key.length)
  for (let i = 0; i < length; i++) {
    const letter = letterOf(text.charCodeAt(i))
    const other = key.charCodeAt(i)
    if (letter !== other) return compareLetters(letter, other)
    if (letter === OTHER) return 0
  }
  return 0
}

function compareLetters(letter: number, other: number): number {
  const isCertain =
    letter > LAST_LEVEL && other > LAST_LEVEL && letter < FIRST_SURROGATE && other < FIRST_SURROGATE
  return isCertain ? (letter < other ? -1 : 1) : 0
}

function letterOf(unit: number): number {
  const known = letters[unit]
  return known === UNKNOWN || known === undefined ? findLetter(unit) : known
}

function findLetter(unit: number): number {
  const decomposed = String.fromCharCode(unit).normalize('NFKD')
  const base = decomposed.toLowerCase().replace(/\p{M}+/gu, '')
  // A sigma at the end of a word has another lower case.
  const isOne = base.length === 1 && !decomposed.includes('Σ')
  const isAlone = isOne && (unit < FIRST_SURROGATE || unit > LAST_SURROGATE)
  return (letters[unit] = isAlone ? base.charCodeAt(0) : OTHER)
}
