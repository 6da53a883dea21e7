import { isTokenFresh } from '@sheaf/auth/caller-token'
import type { AccessService } from '@sheaf/protos/sheaf/directory/v1/access'

/** A token is replaced when it expires within this time. */
const MARGIN_MS = 5_000
const TIMEOUT_MS = 5_000

/** Obtains the gateway's own caller tokens, for calls that are not made on behalf of a user. */
export class SystemCaller {
  private current?: { token: string; expiresAt: number }

  constructor(
    private readonly access: Pick<AccessService, 'resolveAccess'>,
    private readonly serviceKey: string,
  ) {}

  /**
   * Returns a token that stays valid for some seconds. Throws AppError `unauthenticated` when directory
   * rejects the service key.
   */
  async token(): Promise<string> {
    const { current } = this
    if (current && isTokenFresh(current.expiresAt, MARGIN_MS)) return current.token
    const credential = { $case: 'serviceKey' as const, value: this.serviceKey }
    const request = { credential, document: '', site: '', neededRole: 0 }
    const deadline = Date.now() + TIMEOUT_MS
    const { token, tokenExpiresAt } = await this.access.resolveAccess(request, { deadline })
    this.current = { token, expiresAt: tokenExpiresAt }
    return token
  }
}
