import { randomUUID } from 'node:crypto'
import {
  decodeProtectedHeader,
  exportJWK,
  generateKeyPair,
  importJWK,
  jwtVerify,
  SignJWT,
  type JSONWebKeySet,
  type JWK,
} from 'jose'
import { AppError } from '@sheaf/kit/errors'
import type { Authenticator } from '@sheaf/kit/rpc/server-call'
import type { AccessService } from '@sheaf/protos/sheaf/directory/v1/access'
import { RefreshedKeys } from './refreshed-keys'
import { readScopeClaim, toScopeClaim, type KeyScope } from './key-scope'
import { isRoleName, type RoleName } from './roles'

const ISSUER = 'sheaf-directory'
const ALGORITHM = 'EdDSA'
/** Verified tokens kept at once; a token is about 600 bytes. */
const CACHE_SIZE = 20_000
/** Tokens live for 30 s; one that appears to last much longer was issued before the clock was set back. */
const LONGEST_LIFE_MS = 60_000
/** Minimum time between two fetches of the keys because of an unknown key id. */
const REFETCH_MS = 5_000

/** Claims of a caller token. */
export interface CallerClaims {
  /** User id; 0 for the system. */
  readonly userId: number
  readonly email: string
  readonly name: string
  readonly anonymous: boolean
  /** True for the processes of Sheaf itself and its operator. */
  readonly system: boolean
  /** UUID of the document that the token is for; without one it is valid for directory alone. */
  readonly docId?: string
  /** Role on that document. */
  readonly role?: RoleName
  /** Name of the document-data instance that has the document's file. */
  readonly home?: string
  /** Number of the assignment of the document to that instance. */
  readonly assignment?: number
  /** Scope of the API key behind the token; undefined when it has all rights of its user. */
  readonly scope?: KeyScope
  /** Id of the API key behind the token. */
  readonly keyId?: number
  /** Id of the view that is the form whose key is behind the token, which grants its use and no role. */
  readonly formViewId?: number
}

/** Claims of a token whose signature and expiry have been verified. */
export interface VerifiedCaller extends CallerClaims {
  /** When the token ends, epoch milliseconds. */
  readonly expiresAt: number
}

/** Verifies caller tokens. */
export type TokenVerifier = Authenticator<VerifiedCaller>

/** The caller of RPCs that need no token. */
const anonymousCaller: VerifiedCaller = {
  userId: 0,
  email: '',
  name: '',
  anonymous: true,
  system: false,
  expiresAt: 0,
}

/** Signs caller tokens; only directory has one. */
export interface TokenSigner {
  /** Signs a token with these claims that expires after `ttlMs` milliseconds. */
  sign(claims: CallerClaims, ttlMs: number): Promise<{ token: string; expiresAt: number }>
}

/** An Ed25519 key pair with its id. */
export interface SigningKey {
  readonly kid: string
  readonly privateJwk: JWK
  readonly publicJwk: JWK
}

/** Generates a key pair. */
export async function generateSigningKey(): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair(ALGORITHM, {
    crv: 'Ed25519',
    extractable: true,
  })
  const kid = randomUUID()
  const [privateJwk, publicJwk] = await Promise.all([exportJWK(privateKey), exportJWK(publicKey)])
  return { kid, privateJwk, publicJwk: { ...publicJwk, kid, alg: ALGORITHM, use: 'sig' } }
}

/** True while a token with this expiry is valid for at least `marginMs` more; false also when the clock was set back since. */
export function isTokenFresh(expiresAt: number, marginMs = 0): boolean {
  const left = expiresAt - Date.now()
  return left > marginMs && left <= LONGEST_LIFE_MS
}

/** Creates a signer that uses this key. */
export async function createTokenSigner(key: SigningKey): Promise<TokenSigner> {
  const privateKey = await importJWK(key.privateJwk, ALGORITHM)
  return {
    async sign(claims, ttlMs) {
      const expiresAt = Math.floor((Date.now() + ttlMs) / 1000) * 1000
      const {
        userId,
        email,
        name,
        anonymous,
        system,
        docId,
        role,
        home,
        assignment,
        scope,
        keyId,
        formViewId,
      } = claims
      const token = await new SignJWT({
        email,
        name,
        anon: anonymous,
        sys: system,
        doc: docId,
        role,
        home,
        assignment,
        scope: toScopeClaim(scope),
        key: keyId,
        form: formViewId,
      })
        .setProtectedHeader({ alg: ALGORITHM, kid: key.kid })
        .setIssuer(ISSUER)
        .setSubject(String(userId))
        .setExpirationTime(expiresAt / 1000)
        .sign(privateKey)
      return { token, expiresAt }
    },
  }
}

const refused = () =>
  new AppError('unauthenticated', 'BAD_CALLER_TOKEN', 'a valid caller token is required')

/**
 * Creates a verifier that fetches the public keys by `fetchKeys` at first use, and again when a token names an unknown key.
 * Verified tokens are cached until they expire, so that a repeated token costs a map lookup.
 */
export function createTokenVerifier(fetchKeys: () => Promise<JSONWebKeySet>): TokenVerifier {
  const verified = new Map<string, VerifiedCaller>()
  const keys = new RefreshedKeys(fetchKeys, { refetchMs: REFETCH_MS })

  async function check(token: string): Promise<VerifiedCaller> {
    const { kid } = readHeader(token)
    const resolver = await keys.find(kid)
    if (!resolver) throw refused()
    const { payload } = await jwtVerify(token, resolver, {
      issuer: ISSUER,
      algorithms: [ALGORITHM],
      currentDate: new Date(Date.now()),
    }).catch(() => {
      throw refused()
    })
    const caller = readClaims(payload)
    if (!isTokenFresh(caller.expiresAt)) throw refused()
    if (verified.size >= CACHE_SIZE) verified.delete(verified.keys().next().value ?? '')
    verified.set(token, caller)
    return caller
  }

  return {
    anonymous: anonymousCaller,
    verify(token) {
      const known = verified.get(token)
      if (known === undefined) return check(token)
      if (isTokenFresh(known.expiresAt)) return known
      verified.delete(token)
      throw refused()
    },
  }
}

/** Creates a verifier that fetches its public keys from directory, when it first needs them. */
export function createDirectoryVerifier(
  access: Pick<AccessService, 'listVerificationKeys'>,
): TokenVerifier {
  return createTokenVerifier(async () => {
    const { jwks } = await access.listVerificationKeys({})
    return JSON.parse(jwks) as JSONWebKeySet
  })
}

function readHeader(token: string): { kid: string } {
  try {
    return { kid: decodeProtectedHeader(token).kid ?? '' }
  } catch {
    throw refused()
  }
}

function readClaims(payload: Record<string, unknown>): VerifiedCaller {
  const text = (value: unknown) => (typeof value === 'string' ? value : undefined)
  const userId = Number(payload.sub)
  if (!Number.isSafeInteger(userId) || typeof payload.exp !== 'number') throw refused()
  return {
    userId,
    email: text(payload.email) ?? '',
    name: text(payload.name) ?? '',
    anonymous: payload.anon === true,
    system: payload.sys === true,
    docId: text(payload.doc),
    role: isRoleName(payload.role) ? payload.role : undefined,
    home: text(payload.home),
    assignment: typeof payload.assignment === 'number' ? payload.assignment : undefined,
    scope: readScope(payload.scope),
    keyId: typeof payload.key === 'number' ? payload.key : undefined,
    formViewId: typeof payload.form === 'number' ? payload.form : undefined,
    expiresAt: payload.exp * 1000,
  }
}

function readScope(claim: unknown): KeyScope | undefined {
  try {
    return readScopeClaim(claim)
  } catch {
    throw refused()
  }
}
