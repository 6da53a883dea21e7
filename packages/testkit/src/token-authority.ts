import {
  createTokenSigner,
  createTokenVerifier,
  generateSigningKey,
  type CallerClaims,
  type SigningKey,
  type TokenVerifier,
} from '@sheaf/auth/caller-token'

/** Replaces directory in tests that need caller tokens only. */
export interface TokenAuthority {
  /** Accepts only tokens signed here. */
  readonly verifier: TokenVerifier
  /** The response of directory to ListVerificationKeys. */
  readonly jwks: { readonly keys: SigningKey['publicJwk'][] }
  /** Signs a token for alice, modified by `claims`, that expires after `ttlMs` (30 s by default). */
  sign(claims?: Partial<CallerClaims>, ttlMs?: number): Promise<string>
}

const alice: CallerClaims = {
  userId: 1,
  email: 'alice@example.com',
  name: 'Alice',
  anonymous: false,
  system: false,
}

/** Creates an authority with its own key. */
export async function createTokenAuthority(): Promise<TokenAuthority> {
  const key = await generateSigningKey()
  const signer = await createTokenSigner(key)
  const jwks = { keys: [key.publicJwk] }
  return {
    verifier: createTokenVerifier(() => Promise.resolve(jwks)),
    jwks,
    async sign(claims, ttlMs = 30_000) {
      const { token } = await signer.sign({ ...alice, ...claims }, ttlMs)
      return token
    },
  }
}
