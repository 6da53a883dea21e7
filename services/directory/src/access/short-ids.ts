/**
 * The alphabet of Flickr, as the npm package short-uuid uses it: clients of the Grist API write UUIDs as 22 of
 * these characters.
 */
const ALPHABET = '123456789abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ'
const BASE = BigInt(ALPHABET.length)
const LENGTH = 22
const UUID_DIGITS = 32
/** Documents have random UUIDs; few other texts of this length decode to one. */
const RANDOM_UUID = /^(.{8})(.{4})(4.{3})([89ab].{3})(.{12})$/

/** Reads 22 characters of base58 as a random UUID (version 4), in lower case; undefined for any other text. */
export function readShortUuid(text: string): string | undefined {
  if (text.length !== LENGTH) return undefined
  let value = 0n
  for (const character of text) {
    const digit = ALPHABET.indexOf(character)
    if (digit < 0) return undefined
    value = value * BASE + BigInt(digit)
  }
  const digits = value.toString(16).padStart(UUID_DIGITS, '0')
  return RANDOM_UUID.exec(digits)?.slice(1).join('-')
}
