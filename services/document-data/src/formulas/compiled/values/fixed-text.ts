const FRACTION_BITS = 52n
const EXPONENT_MASK = 0x7ffn
/** Subtracted from the exponent bits when the fraction is taken for a whole number. */
const EXPONENT_BIAS = 1075n

const view = new DataView(new ArrayBuffer(8))

/** A finite magnitude as a whole number times a power of two. */
function partsOf(size: number): { whole: bigint; exponent: bigint } {
  view.setFloat64(0, size)
  const bits = view.getBigUint64(0)
  const fraction = bits & ((1n << FRACTION_BITS) - 1n)
  const exponent = (bits >> FRACTION_BITS) & EXPONENT_MASK
  if (exponent === 0n) return { whole: fraction, exponent: 1n - EXPONENT_BIAS }
  return { whole: fraction | (1n << FRACTION_BITS), exponent: exponent - EXPONENT_BIAS }
}

/**
 * A finite magnitude with this number of decimals. The exact value of the float is rounded, halves to the even digit, as
 * Python does; `toFixed` rounds halves up.
 */
export function fixedText(size: number, places: number): string {
  const { whole, exponent } = partsOf(size)
  const scaled = whole * 10n ** BigInt(places)
  const digits = exponent >= 0n ? scaled << exponent : shiftedRight(scaled, -exponent)
  const text = String(digits).padStart(places + 1, '0')
  return places === 0 ? text : `${text.slice(0, -places)}.${text.slice(-places)}`
}

function shiftedRight(value: bigint, bits: bigint): bigint {
  const quotient = value >> bits
  const twice = (value - (quotient << bits)) << 1n
  const one = 1n << bits
  const isUp = twice > one || (twice === one && quotient % 2n === 1n)
  return isUp ? quotient + 1n : quotient
}
