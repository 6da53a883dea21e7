/** Digits that a double holds in any case. */
export const EXACT_DIGITS = 15
/** Below it a double holds fewer and fewer digits. */
const SMALLEST_EXACT = 2 ** -1022

/** True when the text of a number, read as this value, is not beyond the range of a double, nor so small that it became 0. */
export function isInRange(text: string, value: number): boolean {
  return Number.isFinite(value) && (value !== 0 || !/[1-9]/.test(mantissaOf(text)))
}

/** True for the text of a number that a double holds without loss. */
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
