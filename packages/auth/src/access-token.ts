import { decodeProtectedHeader, errors, jwtVerify, type JSONWebKeySet, type JWTPayload } from 'jose'
import { AppError } from '@sheaf/kit/errors'
import { RefreshedKeys } from './refreshed-keys'

/** The asymmetric algorithms: with others, whoever can verify a token can make one. */
const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
]
/** Types of access tokens, by RFC 9068 and by providers that do not follow it. */
const TYPES: ReadonlySet<unknown> = new Set(['at+jwt', 'application/at+jwt', 'jwt', undefined])
/** By how much the clock of the issuer may be ahead. */
const CLOCK_SECONDS = 30
const TIMES = { refetchMs: 30_000, keepMs: 10 * 60_000, retryMs: 5_000 }
/** The last instant that a Date can have. */
const LAST_MS = 8.64e15

/** An issuer of access tokens with its public keys. */
export interface TokenIssuer {
  /** Value of the claim `iss`. */
  readonly issuer: string
  readonly keys: JSONWebKeySet
}

/** The user that an access token names. */
export interface VerifiedEmail {
  /** Address that the issuer has verified. */
  readonly email: string
  /** When the token expires, epoch milliseconds. */
  readonly expiresAt: number
}

/** Verifies the access tokens (JWT, RFC 9068) that an issuer has made for one audience. */
export class AccessTokenVerifier {
  private issuer = ''
  private readonly keys: RefreshedKeys

  /** @param findIssuer is called at the first token, when its answer is ten minutes old, and for unknown key ids */
  constructor(
    private readonly audience: string,
    findIssuer: () => Promise<TokenIssuer>,
  ) {
    this.keys = new RefreshedKeys(async () => {
      const { issuer, keys } = await findIssuer()
      this.issuer = issuer
      return keys
    }, TIMES)
  }

  /**
   * Returns the user of a token. Throws AppError `unauthenticated` for a token that is not valid, `forbidden` when it has no
   * verified email address, and what finding the issuer throws.
   */
  async verify(token: string): Promise<VerifiedEmail> {
    const resolver = await this.keys.find(readKeyId(token))
    if (!resolver) throw invalidToken('it is not signed by a key of the issuer')
    const { issuer, audience } = this
    const { payload } = await jwtVerify(token, resolver, {
      issuer,
      audience,
      algorithms: ALGORITHMS,
      requiredClaims: ['exp'],
      clockTolerance: CLOCK_SECONDS,
    }).catch((error: unknown) => {
      throw invalidToken(faultOf(error, audience))
    })
    return { expiresAt: readExpiry(payload), email: readEmail(payload) }
  }
}

/** The error for an access token that is not valid; `fault` must not repeat anything of it. */
export function invalidToken(fault: string): AppError {
  return new AppError(
    'unauthenticated',
    'INVALID_ACCESS_TOKEN',
    `the access token is not valid: ${fault}`,
  )
}

function readKeyId(token: string): string | undefined {
  const { kid, typ } = readHeader(token)
  if (!TYPES.has(typeof typ === 'string' ? typ.toLowerCase() : typ))
    throw invalidToken('its header "typ" must be "at+jwt" or "JWT"')
  return kid
}

function readHeader(token: string) {
  try {
    return decodeProtectedHeader(token)
  } catch {
    throw invalidToken('it is not a JWT')
  }
}

/** Says what is wrong. The claims of a token are checked after its signature, so that this tells a forger nothing. */
function faultOf(error: unknown, audience: string): string {
  if (error instanceof errors.JWTExpired) return 'it has expired'
  if (!(error instanceof errors.JWTClaimValidationFailed))
    return 'it is not signed by a key of the issuer'
  if (error.claim === 'aud') return `its "aud" must contain ${audience}`
  return `its "${error.claim}" is missing or wrong`
}

/** The tolerance for clocks does not extend the life of a token: directory compares the same time. */
function readExpiry({ exp = 0 }: JWTPayload): number {
  const expiresAt = Math.min(Math.floor(exp * 1000), LAST_MS)
  if (expiresAt <= Date.now()) throw invalidToken('it has expired')
  return expiresAt
}

function readEmail({ email, email_verified: isVerified }: JWTPayload): string {
  if (typeof email !== 'string' || email === '') throw claimNeeded('email')
  if (isVerified !== true) throw claimNeeded('email_verified')
  return email
}

function claimNeeded(claim: string): AppError {
  const message = `the access token must have the claims "email" and "email_verified": true, and "${claim}" is missing or wrong`
  return new AppError('forbidden', 'UNVERIFIED_EMAIL', message, { claim })
}
