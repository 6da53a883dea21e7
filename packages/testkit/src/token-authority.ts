import {
  createTokenSigner,
  createTokenVerifier,
  generateSigningKey,
  type CallerClaims,
  type SigningKey,
  type TokenVerifier,
} from '@sheaf/auth/caller-token'

/** Stands in for directory where a test needs caller tokens and no directory. */
export interface TokenAuthority {
  /** Accepts the tokens signed here and no others. */
  readonly verifier: TokenVerifier
  /** What directory would answer to ListVerificationKeys. */
  readonly jwks: { readonly keys: SigningKey['publicJwk'][] }
  /** A token for alice, changed by `claims`, that ends after `ttlMs` (30 s by default). */
  sign(claims?: Partial<CallerClaims>, ttlMs?: number): Promise<string>
}

const alice: CallerClaims = {
  userId: 1,
  email: 'alice@example.com',
  name: 'Alice',
  anonymous: false,
  system: false,
}

/** Makes an authority with a key of its own. */
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
