import { createHash, randomBytes } from 'node:crypto'

/** Prefixes that distinguish the kinds of tokens, so that none is accepted as another. */
const marks = { session: 'shs_', link: 'shl_' } as const

/** A kind of sign-in token. */
export type SignInToken = keyof typeof marks

const SECRET_BYTES = 32
const SECRET = /^[\w-]{43}$/

/** Creates a token of 256 random bits. */
export function createSignInToken(kind: SignInToken): string {
  return marks[kind] + randomBytes(SECRET_BYTES).toString('base64url')
}

/** True when the text has the form of such a token. */
export function isSignInToken(kind: SignInToken, text: string): boolean {
  return text.startsWith(marks[kind]) && SECRET.test(text.slice(marks[kind].length))
}

/** Returns what is stored of a token: its SHA-256. A slow hash would add nothing to 256 random bits. */
export function hashSignInToken(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
