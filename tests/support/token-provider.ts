import { createHmac, createSign, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'

/** The claims of a token. */
export type Claims = Readonly<Record<string, unknown>>

/** How a token differs from a valid one. */
export interface TokenFaults {
  /** Claims that replace those of a valid token; undefined removes one. */
  readonly claims?: Claims
  /** True for a signature by a key that is not among those that the provider publishes. */
  readonly isForged?: boolean
  /** Replaces the header of the token. With `HS256` the published key is the secret. */
  readonly header?: Claims
}

/** What the provider answers next, by default a valid ID token. */
export interface TokenAnswer extends TokenFaults {
  /** Answers at the userinfo endpoint. */
  readonly userInfo?: Claims
}

/** An identity provider that signs everybody in at once, with any token. */
export class TokenProvider implements AsyncDisposable {
  answer: TokenAnswer = {}
  /** True to answer every request with an error. */
  isDown = false
  /** How often the keys of the provider were fetched. */
  keyFetches = 0
  private readonly server = createServer((request, response) => this.serve(request, response))
  private readonly own = generateKeyPairSync('rsa', { modulusLength: 2048 })
  private readonly other = generateKeyPairSync('rsa', { modulusLength: 2048 })
  private nonce = ''

  private constructor(private readonly publicUrl: string) {}

  /** Starts a provider for the Sheaf at that address. */
  static async start(publicUrl: string): Promise<TokenProvider> {
    const provider = new TokenProvider(publicUrl)
    provider.server.listen(0, '127.0.0.1')
    await once(provider.server, 'listening')
    return provider
  }

  /** Settings of a Sheaf whose users sign in here. */
  get env(): Readonly<Record<string, string>> {
    return {
      SHEAF_PUBLIC_URL: this.publicUrl,
      SHEAF_OIDC_ISSUER: this.issuer,
      SHEAF_OIDC_CLIENT_ID: 'sheaf',
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.server.closeAllConnections()
    this.server.close()
    await once(this.server, 'close')
  }

  private get issuer(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`
  }

  private serve({ url = '' }: IncomingMessage, response: ServerResponse): void {
    const { pathname, searchParams } = new URL(url, this.issuer)
    if (this.isDown) {
      response.writeHead(500).end()
      return
    }
    if (pathname === '/authorize') {
      this.nonce = searchParams.get('nonce') ?? ''
      const query = new URLSearchParams({ code: 'code', state: searchParams.get('state') ?? '' })
      const location = `${this.publicUrl}/sign-in/oidc/callback?${query.toString()}`
      response.writeHead(303, { location }).end()
      return
    }
    if (pathname === '/jwks') this.keyFetches++
    const answers: Record<string, object> = {
      '/.well-known/openid-configuration': this.metadata,
      '/jwks': { keys: [{ ...this.own.publicKey.export({ format: 'jwk' }), kid: 'own' }] },
      '/token': { access_token: 'access', token_type: 'Bearer', id_token: this.createIdToken() },
      '/userinfo': this.answer.userInfo ?? {},
    }
    const body = answers[pathname]
    response.writeHead(body ? 200 : 404, { 'content-type': 'application/json' })
    response.end(JSON.stringify(body ?? {}))
  }

  private get metadata(): object {
    const { issuer } = this
    return {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      userinfo_endpoint: `${issuer}/userinfo`,
      jwks_uri: `${issuer}/jwks`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256', 'none'],
      code_challenge_methods_supported: ['S256'],
    }
  }

  /** Makes an ID token of erin for the client `sheaf`. */
  createIdToken(): string {
    const claims = { aud: 'sheaf', nonce: this.nonce, ...identityOf('erin') }
    return this.createToken(claims, { alg: 'RS256', kid: 'own' }, this.answer)
  }

  /** Makes an access token of a user for the tools for agents. */
  createAccessToken(user: string, faults: TokenFaults = {}): string {
    const claims = { aud: `${this.publicUrl}/mcp`, client_id: 'agent', ...identityOf(user) }
    return this.createToken(claims, { alg: 'RS256', kid: 'own', typ: 'at+jwt' }, faults)
  }

  private createToken(own: Claims, ownHeader: Claims, faults: TokenFaults): string {
    const now = Math.floor(Date.now() / 1000)
    const valid = { iss: this.issuer, iat: now, exp: now + 300, ...own }
    const header = faults.header ?? ownHeader
    const text = [header, { ...valid, ...faults.claims }].map(encode).join('.')
    return `${text}.${this.sign(text, header.alg, faults)}`
  }

  private sign(text: string, algorithm: unknown, { isForged }: TokenFaults): string {
    const { publicKey, privateKey } = isForged ? this.other : this.own
    if (algorithm === 'none') return ''
    if (algorithm === 'HS256') {
      const secret = publicKey.export({ type: 'spki', format: 'pem' })
      return createHmac('sha256', secret).update(text).digest('base64url')
    }
    return signRsa(text, privateKey)
  }
}

const identityOf = (user: string) => ({
  sub: user,
  email: `${user}@example.com`,
  email_verified: true,
})

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

function signRsa(text: string, key: KeyObject): string {
  return createSign('RSA-SHA256').update(text).sign(key, 'base64url')
}
