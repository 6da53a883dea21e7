import { AppError } from '@sheaf/kit/errors'
import type { Logger } from '@sheaf/kit/logger'
import { z } from 'zod'

/** The identity provider that people sign in with. */
export interface OidcSettings {
  /** Its address, below which its description is found. */
  readonly issuer: string
  readonly clientId: string
  /** None for a public client. */
  readonly clientSecret?: string
  /** People whom nobody has invited become users when they sign in. */
  readonly maySignUp: boolean
}

/** Where the provider sends people back to. */
export const CALLBACK_PATH = '/sign-in/oidc/callback'

const TIMEOUT_SECONDS = 10
/** A description of the provider is read again after so long, so that a change of it is noticed. */
const KEEP_MS = 60 * 60_000

/** What the browser keeps while it is at the provider. */
const flowSchema = z.object({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  next: z.string(),
})

/** One attempt to sign in, as the browser keeps it in a cookie. */
export type OidcFlow = z.output<typeof flowSchema>

/** What the provider says of somebody; the email is verified. */
export interface Identity {
  readonly email: string
  readonly name: string
}

const load = () => import('openid-client')
type Library = Awaited<ReturnType<typeof load>>
type Configuration = Awaited<ReturnType<Library['discovery']>>

/** Signs people in at an identity provider: authorization code flow with PKCE, state and nonce. */
export class Oidc {
  private known?: { readonly until: number; readonly found: Promise<[Library, Configuration]> }

  constructor(
    readonly settings: OidcSettings,
    private readonly publicUrl: string,
    private readonly log: Logger,
  ) {}

  /** Begins an attempt; the browser is to keep `flow` and go to `url`. Throws `unavailable` when the provider is away. */
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
   * Who has come back from the provider to this path with its query. Throws `forbidden` when the provider has not let them
   * in or has not verified their email, `unavailable` when it is away.
   */
  async finish(path: string, { state, nonce, verifier }: OidcFlow): Promise<Identity> {
    const [library, configuration] = await this.discover()
    const identity = await this.ask(library, async () => {
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
      // Providers may keep the email out of the token.
      return library.fetchUserInfo(configuration, tokens.access_token, claims.sub)
    })
    const { email, email_verified: isVerified, name } = identity ?? {}
    if (typeof email !== 'string' || isVerified !== true) throw notVerified()
    return { email, name: typeof name === 'string' ? name : '' }
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
    // The operator has chosen the address; without TLS it is one of this machine, or of a trusted network.
    const execute = issuer.startsWith('http:') ? [library.allowInsecureRequests] : []
    const authentication =
      clientSecret === undefined ? library.None() : library.ClientSecretPost(clientSecret)
    const options = { execute, timeout: TIMEOUT_SECONDS }
    const configuration = await this.ask(library, () =>
      library.discovery(new URL(issuer), clientId, undefined, authentication, options),
    )
    return [library, configuration]
  }

  /** Asks the provider, and sorts what goes wrong: it has refused, or it cannot be talked to. */
  private async ask<T>(library: Library, question: () => Promise<T>): Promise<T> {
    try {
      return await question()
    } catch (error) {
      const { name, code } = error as Error & { code?: string }
      const isRefusal =
        error instanceof library.AuthorizationResponseError ||
        (error instanceof library.ResponseBodyError && error.status < 500)
      this.log[isRefusal ? 'info' : 'warn']({ reason: code ?? name }, 'OIDC sign-in failed')
      if (isRefusal || isInvalidResponse(code)) throw refused()
      throw new AppError(
        'unavailable',
        'OIDC_UNAVAILABLE',
        'the sign-in service is not responding correctly',
      )
    }
  }
}

/** True for an answer that the library has checked and found wrong: of another attempt, forged, or out of date. */
function isInvalidResponse(code: string | undefined): boolean {
  return code === 'OAUTH_INVALID_RESPONSE' || code === 'OAUTH_JWT_CLAIM_COMPARISON_FAILED'
}

const refused = () =>
  new AppError('forbidden', 'OIDC_REFUSED', 'the sign-in service did not confirm your identity')

const notVerified = () =>
  new AppError(
    'forbidden',
    'UNVERIFIED_EMAIL',
    'the sign-in service has not verified your email address',
  )

/** An attempt as it was kept by `writeFlow`; undefined for anything else. */
export function readFlow(text: string | undefined): OidcFlow | undefined {
  if (text === undefined) return undefined
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString())
    return flowSchema.safeParse(value).data
  } catch {
    return undefined
  }
}

/** An attempt as a text for a cookie. */
export function writeFlow(flow: OidcFlow): string {
  return Buffer.from(JSON.stringify(flow)).toString('base64url')
}
