import type { TokenIssuer } from '@sheaf/auth/access-token'
import { AppError } from '@sheaf/kit/errors'
import type { Logger } from '@sheaf/kit/logger'
import { z } from 'zod'
import { fetchIssuerKeys } from './issuer-keys'

/** The identity provider for signing in. */
export interface OidcSettings {
  /** Its issuer URL, below which its metadata is found. */
  readonly issuer: string
  readonly clientId: string
  /** Undefined for a public client. */
  readonly clientSecret?: string
  /** True if users who have not been invited may sign up. */
  readonly maySignUp: boolean
}

/** Redirect path for the provider. */
export const CALLBACK_PATH = '/sign-in/oidc/callback'

const TIMEOUT_SECONDS = 10
/** The provider's metadata is refreshed after this time. */
const KEEP_MS = 60 * 60_000

/** State that the browser keeps during a sign-in at the provider. */
const flowSchema = z.object({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  next: z.string(),
})

/** One sign-in attempt, as stored in a cookie. */
export type OidcFlow = z.output<typeof flowSchema>

/** The identity that the provider asserts; the email is verified. */
export interface Identity {
  readonly email: string
  readonly name: string
}

const load = () => import('openid-client')
type Library = Awaited<ReturnType<typeof load>>
type Configuration = Awaited<ReturnType<Library['discovery']>>

/** Signs users in through an identity provider: authorization code flow with PKCE, state and nonce. */
export class Oidc {
  private known?: { readonly until: number; readonly found: Promise<[Library, Configuration]> }

  constructor(
    readonly settings: OidcSettings,
    private readonly publicUrl: string,
    private readonly log: Logger,
  ) {}

  /**
   * Begins an attempt; the browser must keep `flow` and go to `url`. Throws `unavailable` when the provider
   * is unreachable.
   */
  async begin(next: string): Promise<{ url: string; flow: OidcFlow }> {
    const [library, configuration] = await this.discover()
    const flow = {
      state: library.randomState(),
      nonce: library.randomNonce(),
      verifier: library.randomPKCECodeVerifier(),
      next,
    }
    const url = library.buildAuthorizationUrl(configuration, {
      redirect_uri: this.publicUrl + CALLBACK_PATH,
      scope: 'openid email profile',
      state: flow.state,
      nonce: flow.nonce,
      code_challenge: await library.calculatePKCECodeChallenge(flow.verifier),
      code_challenge_method: 'S256',
    })
    return { url: url.href, flow }
  }

  /**
   * Completes an attempt from the callback path with its query. Throws `forbidden` when the provider has
   * denied it, its token is not valid or it has not verified the email, `unavailable` when the provider is unreachable.
   */
  async finish(path: string, { state, nonce, verifier }: OidcFlow): Promise<Identity> {
    const [library, configuration] = await this.discover()
    const authenticate = async () => {
      const tokens = await library.authorizationCodeGrant(
        configuration,
        new URL(path, this.publicUrl),
        {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
        },
      )
      const claims = tokens.claims()
      if (claims?.email !== undefined || !claims) return claims
      // Providers may omit the email from the token.
      return library.fetchUserInfo(configuration, tokens.access_token, claims.sub)
    }
    const identity = await this.ask(library, authenticate, invalidTokens)
    const { email, email_verified: isVerified, name } = identity ?? {}
    if (typeof email !== 'string' || isVerified !== true) throw notVerified()
    return { email, name: typeof name === 'string' ? name : '' }
  }

  /** Returns the provider as the issuer of access tokens. Throws `unavailable` when it is unreachable. */
  async findTokenIssuer(): Promise<TokenIssuer> {
    const [library, configuration] = await this.discover()
    const { issuer, jwks_uri: url = '' } = configuration.serverMetadata()
    const keys = await this.ask(library, () => {
      if (issuer.startsWith('https:') && !url.startsWith('https:'))
        throw new Error('the keys of the provider are not at an https address')
      return fetchIssuerKeys(url)
    })
    return { issuer, keys }
  }

  private discover(): Promise<[Library, Configuration]> {
    const now = performance.now()
    if (this.known && this.known.until > now) return this.known.found
    const found = this.read()
    const known = { until: now + KEEP_MS, found }
    this.known = known
    found.catch(() => {
      if (this.known === known) this.known = undefined
    })
    return found
  }

  private async read(): Promise<[Library, Configuration]> {
    const library = await load()
    const { issuer, clientId, clientSecret } = this.settings
    const execute = [library.enableNonRepudiationChecks]
    // The operator chose the address; without TLS it is one of this machine, or of a trusted network.
    if (issuer.startsWith('http:')) execute.push(library.allowInsecureRequests)
    const authentication =
      clientSecret === undefined ? library.None() : library.ClientSecretPost(clientSecret)
    const options = { execute, timeout: TIMEOUT_SECONDS }
    const configuration = await this.ask(library, () =>
      library.discovery(new URL(issuer), clientId, undefined, authentication, options),
    )
    return [library, configuration]
  }

  /** Calls the provider, and distinguishes a denial, or one of these codes, from a failure to communicate. */
  private async ask<T>(
    library: Library,
    question: () => Promise<T>,
    refusals: ReadonlySet<string> = new Set(),
  ): Promise<T> {
    try {
      return await question()
    } catch (error) {
      const { name, code } = error as Error & { code?: string }
      const isRefusal =
        error instanceof library.AuthorizationResponseError ||
        (error instanceof library.ResponseBodyError && error.status < 500)
      this.log[isRefusal ? 'info' : 'warn']({ reason: code ?? name }, 'OIDC sign-in failed')
      if (isRefusal || refusals.has(code ?? '')) throw refused()
      throw new AppError(
        'unavailable',
        'OIDC_UNAVAILABLE',
        'the sign-in service is not responding correctly',
      )
    }
  }
}

/**
 * Codes of the library for a response or a token that is not valid: of another attempt or subject, expired,
 * or not signed by the provider.
 */
const invalidTokens: ReadonlySet<string> = new Set([
  'OAUTH_INVALID_RESPONSE',
  'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED',
  'OAUTH_JWT_CLAIM_COMPARISON_FAILED',
  'OAUTH_JWT_TIMESTAMP_CHECK_FAILED',
  'OAUTH_KEY_SELECTION_FAILED',
  'OAUTH_UNSUPPORTED_OPERATION',
])

const refused = () =>
  new AppError('forbidden', 'OIDC_REFUSED', 'the sign-in service did not confirm your identity')

const notVerified = () =>
  new AppError(
    'forbidden',
    'UNVERIFIED_EMAIL',
    'the sign-in service has not verified your email address',
  )

/** Parses the output of `writeFlow`; returns undefined for anything else. */
export function readFlow(text: string | undefined): OidcFlow | undefined {
  if (text === undefined) return undefined
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString())
    return flowSchema.safeParse(value).data
  } catch {
    return undefined
  }
}

/** Serializes an attempt for a cookie. */
export function writeFlow(flow: OidcFlow): string {
  return Buffer.from(JSON.stringify(flow)).toString('base64url')
}
