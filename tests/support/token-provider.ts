import { createSign, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'

/** The claims of an ID token. */
export type Claims = Readonly<Record<string, unknown>>

/** What the provider answers next, by default a valid token. */
export interface TokenAnswer {
  /** Claims that replace those of a valid token; undefined removes one. */
  readonly claims?: Claims
  /** True for a signature by a key that is not among those that the provider publishes. */
  readonly isForged?: boolean
  /** Replaces the header of the token. */
  readonly header?: Claims
  /** Answers at the userinfo endpoint. */
  readonly userInfo?: Claims
}

/** An identity provider that signs everybody in at once, with any token. */
export class TokenProvider implements AsyncDisposable {
  answer: TokenAnswer = {}
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
    if (pathname === '/authorize') {
      this.nonce = searchParams.get('nonce') ?? ''
      const query = new URLSearchParams({ code: 'code', state: searchParams.get('state') ?? '' })
      const location = `${this.publicUrl}/sign-in/oidc/callback?${query.toString()}`
      response.writeHead(303, { location }).end()
      return
    }
    const answers: Record<string, object> = {
      '/.well-known/openid-configuration': this.metadata,
      '/jwks': { keys: [{ ...this.own.publicKey.export({ format: 'jwk' }), kid: 'own' }] },
      '/token': { access_token: 'access', token_type: 'Bearer', id_token: this.createToken() },
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

  private createToken(): string {
    const { claims, header, isForged } = this.answer
    const now = Math.floor(Date.now() / 1000)
    const valid = {
      iss: this.issuer,
      aud: 'sheaf',
      sub: 'erin',
      nonce: this.nonce,
      iat: now,
      exp: now + 300,
      email: 'erin@example.com',
      email_verified: true,
    }
    const head = header ?? { alg: 'RS256', kid: 'own' }
    const text = [head, { ...valid, ...claims }].map(encode).join('.')
    if (head.alg === 'none') return `${text}.`
    return `${text}.${sign(text, (isForged ? this.other : this.own).privateKey)}`
  }
}

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

function sign(text: string, key: KeyObject): string {
  return createSign('RSA-SHA256').update(text).sign(key, 'base64url')
}
