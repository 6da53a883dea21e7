import { createHash, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'

const MARK = 'shf_'
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** 30 letters of 62 are 178 bits. */
const SECRET_LENGTH = 30
/** 62^6 is the first power of 62 above 2^32. */
const CHECKSUM_LENGTH = 6
const SHAPE = /^shf_[0-9A-Za-z]{36}$/

/** Length of the prefix by which a key is displayed and named. */
export const PREFIX_LENGTH = MARK.length + 8

/**
 * Creates an API key: `shf_`, 30 random letters and digits, and a checksum, so that scanners can find leaked
 * keys and a mistyped one is rejected without a database query.
 */
export function createApiKey(): string {
  const secret = Array.from(
    { length: SECRET_LENGTH },
    () => ALPHABET[randomInt(ALPHABET.length)],
  ).join('')
  return MARK + secret + checksum(MARK + secret)
}

/** True when the text has the form and the checksum of an API key. */
export function isApiKey(text: string): boolean {
  if (!SHAPE.test(text)) return false
  const body = text.slice(0, -CHECKSUM_LENGTH)
  return text.slice(-CHECKSUM_LENGTH) === checksum(body)
}

/** Returns what is stored of a key: its SHA-256. A slow hash would add nothing to 178 random bits. */
export function hashApiKey(key: string): Buffer {
  return createHash('sha256').update(key).digest()
}

function checksum(text: string): string {
  let rest = crc32(text)
  let digits = ''
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    digits = ALPHABET.charAt(rest % 62) + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}
