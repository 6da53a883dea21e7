import { AccessTokenVerifier, type VerifiedEmail } from '@sheaf/auth/access-token'
import type { Oidc } from './oidc'

/** Path of the tools for agents. */
export const RESOURCE_PATH = '/mcp'
/** Path of the metadata of protected resources, by RFC 9728. */
export const METADATA_PATH = '/.well-known/oauth-protected-resource'

/** The tools for agents as a resource that OAuth 2.1 protects, with the identity provider as authorization server. */
export class ProtectedResource {
  private readonly url: string
  private readonly verifier: AccessTokenVerifier

  constructor(
    private readonly oidc: Oidc,
    private readonly publicUrl: string,
  ) {
    this.url = publicUrl + RESOURCE_PATH
    this.verifier = new AccessTokenVerifier(this.url, () => oidc.findTokenIssuer())
  }

  /** The metadata by which clients find the authorization server (RFC 9728). */
  get metadata(): Readonly<Record<string, unknown>> {
    return {
      resource: this.url,
      authorization_servers: [this.oidc.settings.issuer],
      bearer_methods_supported: ['header'],
      // No scope limits what a token may do; by these, providers put the email address into it.
      scopes_supported: ['openid', 'email'],
      resource_name: 'Sheaf',
    }
  }

  /** Value of `WWW-Authenticate`. @param isInvalid true when a token was presented */
  challenge(isInvalid: boolean): string {
    const found = `Bearer resource_metadata="${this.publicUrl}${METADATA_PATH}${RESOURCE_PATH}"`
    return isInvalid ? `${found}, error="invalid_token"` : found
  }

  /** Returns the user of an access token. Throws as AccessTokenVerifier does, and `unavailable` without the provider. */
  verify(token: string): Promise<VerifiedEmail> {
    return this.verifier.verify(token)
  }
}
