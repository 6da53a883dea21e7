import type { AccessService, ResolveAccessResponse } from '@sheaf/protos/sheaf/directory/v1/access'
import { isTokenFresh } from './caller-token'

/** A token is replaced when it has less than this left. */
const MARGIN_MS = 5_000
const TIMEOUT_MS = 5_000

type Access = Pick<AccessService, 'resolveAccess'>

/** An access decision for Sheaf itself. */
export interface SystemGrant extends Pick<ResolveAccessResponse, 'token' | 'document'> {
  /** When the token ends, epoch milliseconds. */
  readonly tokenExpiresAt: number
}

/**
 * Asks directory for access as Sheaf itself.
 * @param document UUID of the document that the token is for; without one it is valid for directory alone
 * @throws AppError `unauthenticated` when directory rejects the service key, `not_found` when there is no such document
 */
export function resolveSystemAccess(
  access: Access,
  serviceKey: string,
  document = '',
): Promise<SystemGrant> {
  const credential = { $case: 'serviceKey' as const, value: serviceKey }
  const request = { credential, document, site: '', neededRole: 0 }
  return access.resolveAccess(request, { deadline: Date.now() + TIMEOUT_MS })
}

/** True while the token of a grant is valid for some seconds more. */
export function isGrantFresh({ tokenExpiresAt }: Pick<SystemGrant, 'tokenExpiresAt'>): boolean {
  return isTokenFresh(tokenExpiresAt, MARGIN_MS)
}

/** The caller tokens of a process of Sheaf, for calls that it makes on its own behalf. */
export class SystemTokenSource {
  private current?: SystemGrant
  private pending?: Promise<SystemGrant>

  constructor(
    private readonly access: Access,
    private readonly serviceKey: string,
  ) {}

  /**
   * Returns a token that is valid for some seconds; concurrent calls share one request to directory. Throws as
   * `resolveSystemAccess` does.
   */
  async token(): Promise<string> {
    if (this.current && isGrantFresh(this.current)) return this.current.token
    this.pending ??= this.renew().finally(() => (this.pending = undefined))
    return (await this.pending).token
  }

  private async renew(): Promise<SystemGrant> {
    this.current = await resolveSystemAccess(this.access, this.serviceKey)
    return this.current
  }
}
