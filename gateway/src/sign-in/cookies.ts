import type { IncomingMessage } from 'node:http'
import { parseCookie, stringifySetCookie } from 'cookie'

/** What decides whether a browser and the gateway talk by TLS. */
export interface SecuritySettings {
  /** Address that people know this Sheaf by. */
  readonly publicUrl?: string
  /** Trusted proxies before the gateway. */
  readonly proxies: number
}

/** What we keep in cookies is shorter; anything longer is not ours. */
const MAX_LENGTH = 4096
const SESSION = 'sheaf_session'

/** True when the browser came by TLS: by the public address, or as the trusted proxies say. */
function isSecure(
  { headers, socket }: IncomingMessage,
  { publicUrl, proxies }: SecuritySettings,
): boolean {
  if (publicUrl?.startsWith('https:')) return true
  if ('encrypted' in socket) return true
  const { 'x-forwarded-proto': given = '' } = headers
  return proxies > 0 && String(given).split(',').at(-1)?.trim() === 'https'
}

/** Cookies of one browser: read from its requests, and written for it. By TLS no other host can set or overwrite them. */
export class Cookies {
  /** True when the browser and Sheaf talk by TLS. */
  readonly isSecure: boolean

  constructor(
    private readonly request: IncomingMessage,
    settings: SecuritySettings,
  ) {
    this.isSecure = isSecure(request, settings)
  }

  /** The value of a cookie; undefined when there is none. */
  read(name: string): string | undefined {
    const value = parseCookie(this.request.headers.cookie ?? '')[this.nameOf(name)]
    return value === undefined || value === '' || value.length > MAX_LENGTH ? undefined : value
  }

  /** A Set-Cookie header; a `maxAge` of 0 takes the cookie away. */
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

  /** The Set-Cookie header that keeps a session until then. */
  keepSession(token: string, lastsUntil: Date): string {
    const seconds = Math.max(1, Math.floor((lastsUntil.getTime() - Date.now()) / 1000))
    return this.write(SESSION, token, seconds)
  }

  /** The Set-Cookie header that forgets the session. */
  forgetSession(): string {
    return this.write(SESSION, '', 0)
  }

  private nameOf(name: string): string {
    return this.isSecure ? `__Host-${name}` : name
  }
}
