import { createHash, randomBytes } from 'node:crypto'

/** What a token is for; each kind has a mark of its own, so that none passes for another. */
const marks = { session: 'shs_', link: 'shl_' } as const

/** A kind of token that people sign in with. */
export type SignInToken = keyof typeof marks

const SECRET_BYTES = 32
const SECRET = /^[\w-]{43}$/

/** A new token of 256 random bits. */
export function createSignInToken(kind: SignInToken): string {
  return marks[kind] + randomBytes(SECRET_BYTES).toString('base64url')
}

/** True when the text has the form of such a token. */
export function isSignInToken(kind: SignInToken, text: string): boolean {
  return text.startsWith(marks[kind]) && SECRET.test(text.slice(marks[kind].length))
}

/** What is stored of a token: its SHA-256. A slow hash would add nothing to 256 random bits. */
export function hashSignInToken(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
