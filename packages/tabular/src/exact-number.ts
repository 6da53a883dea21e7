/** Number of decimal digits that a double always represents exactly. */
export const EXACT_DIGITS = 15
/** Smallest normal double; smaller values lose precision. */
const SMALLEST_EXACT = 2 ** -1022

/**
 * Whether the text of a number, parsed as this value, neither overflows nor underflows the range of a double.
 */
export function isInRange(text: string, value: number): boolean {
  return Number.isFinite(value) && (value !== 0 || !/[1-9]/.test(mantissaOf(text)))
}

/** Whether a double represents the number in the text without loss. */
export function isHeldExactly(text: string): boolean {
  const value = Number(text)
  if (!isInRange(text, value)) return false
  if (String(value) === text || value === 0) return true
  return Math.abs(value) >= SMALLEST_EXACT && significantDigits(text) <= EXACT_DIGITS
}

function significantDigits(text: string): number {
  return mantissaOf(text).replace(/\D/g, '').replace(/^0+/, '').length
}

function mantissaOf(text: string): string {
  return text.replace(/[eE].*/s, '')
}

const integer = /^(?:0|-?[1-9]\d*)$/
// An exponent alone is no evidence of a number: 12E4 is as likely a code.
const decimal = /^-?(?:0|[1-9]\d*)(?:\.\d+(?:[eE][+-]?\d+)?)?$/
const MAX_INT = 2 ** 31 - 1

/** Whether a number is a 32-bit integer other than minus zero and the least one, as an Int column holds it. */
export function isInt(value: number): boolean {
  return Number.isInteger(value) && Math.abs(value) <= MAX_INT && !Object.is(value, -0)
}

/** Whether text is the canonical form of such an integer. */
export function isIntText(text: string): boolean {
  return integer.test(text) && isInt(Number(text))
}

/** Whether text is the canonical form of a decimal number, other than minus zero, that a double represents without loss. */
export function isExactNumber(text: string): boolean {
  if (!decimal.test(text)) return false
  const value = Number(text)
  if (Object.is(value, -0)) return false
  return /[.eE]/.test(text) ? isHeldExactly(text) : Number.isSafeInteger(value)
}
