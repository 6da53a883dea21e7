import { createHash, timingSafeEqual } from 'node:crypto'
import { AppError } from '@sheaf/kit/errors'
import type { ResolveAccessRequest } from '@sheaf/protos/sheaf/directory/v1/access'
import { hashApiKey, isApiKey } from '../access/api-keys'
import { hashFormKey, isFormKey } from '../access/form-keys'
import { readEmail } from '../access/names'
import { hashSignInToken, isSignInToken } from '../access/sign-in-tokens'
import type { Context } from '../context'
import type { Credential } from '../db/access'
import { findExpiry } from '../db/keys'
import { formNotFound } from './errors'

/** The key of a form, which names its document itself. */
interface FormCredential {
  readonly kind: 'form'
  readonly hash: Buffer
}

/**
 * Parses a credential. Throws `unauthenticated` for a malformed one, `not_found` for a malformed key of a form, and `invalid`
 * for a malformed email, without a database query.
 */
export function readCredential(
  { credential }: ResolveAccessRequest,
  serviceKey: string,
): Credential | FormCredential {
  if (credential === undefined) return { kind: 'anonymous' }
  if (credential.$case === 'serviceKey') {
    requireServiceKey(credential.value, serviceKey)
    return { kind: 'system' }
  }
  if (credential.$case === 'verifiedUser') {
    const { email, expiresAt, serviceKey: given } = credential.value
    requireServiceKey(given, serviceKey)
    return { kind: 'verified', email: readEmail(email), expiresAt: new Date(expiresAt) }
  }
  if (credential.$case === 'formKey') {
    if (!isFormKey(credential.value)) throw formNotFound()
    return { kind: 'form', hash: hashFormKey(credential.value) }
  }
  if (credential.$case === 'session') {
    if (!isSignInToken('session', credential.value)) throw sessionEnded()
    return { kind: 'session', hash: hashSignInToken(credential.value) }
  }
  if (!isApiKey(credential.value)) throw invalidKey()
  return { kind: 'key', hash: hashApiKey(credential.value) }
}

function requireServiceKey(given: string, expected: string): void {
  if (!sameSecret(given, expected))
    throw new AppError('unauthenticated', 'INVALID_SERVICE_KEY', 'invalid service key')
}

/** Compares digests, so that timing reveals neither the secret nor its length. */
function sameSecret(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(expected))
}

const invalidKey = () =>
  new AppError('unauthenticated', 'INVALID_API_KEY', 'Bad request: invalid API key')

/** The error for a credential that identifies nobody. */
export async function refusalOf({ db }: Context, credential: Credential): Promise<AppError> {
  if (credential.kind === 'session') return sessionEnded()
  if (credential.kind === 'verified') {
    if (credential.expiresAt.getTime() > Date.now()) return notInvited()
    return new AppError('unauthenticated', 'INVALID_ACCESS_TOKEN', 'the access token has expired')
  }
  const expiry = credential.kind === 'key' && (await findExpiry(db, credential.hash))
  if (!expiry) return invalidKey()
  const expiredAt = expiry.toISOString()
  const message = `the API key expired on ${expiredAt}`
  return new AppError('unauthenticated', 'KEY_EXPIRED', message, { expiredAt })
}

const sessionEnded = () =>
  new AppError('unauthenticated', 'SESSION_ENDED', 'the session has expired, sign in again')

const notInvited = () =>
  new AppError('forbidden', 'NOT_INVITED', 'no user has the email address of the access token')
