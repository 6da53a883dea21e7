import type { IncomingMessage } from 'node:http'
import { parseCookie, stringifySetCookie } from 'cookie'

/** The settings that decide whether browsers connect by TLS. */
export interface SecuritySettings {
  /** Public address of this Sheaf. */
  readonly publicUrl?: string
  /** Trusted proxies in front of the gateway. */
  readonly proxies: number
}

/** Our own cookies are shorter; longer ones are not ours. */
const MAX_LENGTH = 4096
const SESSION = 'sheaf_session'

/** True when the browser connected by TLS, according to the public address or the trusted proxies. */
function isSecure(
  { headers, socket }: IncomingMessage,
  { publicUrl, proxies }: SecuritySettings,
): boolean {
  if (publicUrl?.startsWith('https:')) return true
  if ('encrypted' in socket) return true
  const { 'x-forwarded-proto': given = '' } = headers
  return proxies > 0 && String(given).split(',').at(-1)?.trim() === 'https'
}

/**
 * The cookies of one browser: reads them from a request, and writes Set-Cookie headers. With TLS, the
 * `__Host-` prefix prevents other hosts from setting them.
 */
export class Cookies {
  /** True when the browser connects by TLS. */
  readonly isSecure: boolean

  constructor(
    private readonly request: IncomingMessage,
    settings: SecuritySettings,
  ) {
    this.isSecure = isSecure(request, settings)
  }

  /** Returns the value of a cookie; undefined when it is absent. */
  read(name: string): string | undefined {
    const value = parseCookie(this.request.headers.cookie ?? '')[this.nameOf(name)]
    return value === undefined || value === '' || value.length > MAX_LENGTH ? undefined : value
  }

  /** Returns a Set-Cookie header; a `maxAge` of 0 removes the cookie. */
  write(name: string, value: string, maxAge: number): string {
    return stringifySetCookie({
      name: this.nameOf(name),
      value,
      maxAge,
      path: '/',
      httpOnly: true,
      sameSite: 'lax',
      secure: this.isSecure,
    })
  }

  /** The token of the browser's session. */
  get session(): string | undefined {
    return this.read(SESSION)
  }

  /** Returns the Set-Cookie header that keeps a session until `lastsUntil`. */
  keepSession(token: string, lastsUntil: Date): string {
    const seconds = Math.max(1, Math.floor((lastsUntil.getTime() - Date.now()) / 1000))
    return this.write(SESSION, token, seconds)
  }

  /** Returns the Set-Cookie header that removes the session. */
  forgetSession(): string {
    return this.write(SESSION, '', 0)
  }

  private nameOf(name: string): string {
    return this.isSecure ? `__Host-${name}` : name
  }
}
