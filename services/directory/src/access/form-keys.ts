import { createHash, randomBytes } from 'node:crypto'

const SECRET_BYTES = 24
const SHAPE = /^[\w-]{32}$/

/** Creates the key of a form: 192 random bits. Unlike other keys it has no mark, since it is part of the address of a page. */
export function createFormKey(): string {
  return randomBytes(SECRET_BYTES).toString('base64url')
}

/** True when the text has the form of such a key. */
export function isFormKey(text: string): boolean {
  return SHAPE.test(text)
}

/** Returns what a key is looked up by: its SHA-256, so that the time of a search tells nothing about keys that exist. */
export function hashFormKey(key: string): Buffer {
  return createHash('sha256').update(key).digest()
}
