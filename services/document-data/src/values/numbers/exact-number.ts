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
