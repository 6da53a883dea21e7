import { hash } from 'node:crypto'

/** The credential that a request presents. */
export type Credential = SecretCredential | AccessTokenCredential

/** An API key, the token of a browser session, or the key of a form. */
interface SecretCredential {
  readonly kind: 'apiKey' | 'session' | 'formKey'
  readonly secret: string
}

/** An access token of the identity provider. */
interface AccessTokenCredential {
  readonly kind: 'accessToken'
  /** What the token is remembered and counted by: all tokens begin alike. */
  readonly secret: string
  readonly token: string
}

/** Longest access token; a longer text is not verified. */
export const MAX_TOKEN_LENGTH = 8192
const JWT = /^[\w-]+\.[\w-]+\.[\w-]*$/

/** True for the form of a JWT. API keys contain no dot. */
export function isJwt(text: string): boolean {
  return JWT.test(text)
}

/** Returns the credential of an access token, which has not been verified. */
export function accessTokenCredential(token: string): AccessTokenCredential {
  return { kind: 'accessToken', secret: hash('sha256', token, 'base64url'), token }
}
