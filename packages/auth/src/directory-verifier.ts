import type { AccessService } from '@sheaf/protos/sheaf/directory/v1/access'
import type { JSONWebKeySet } from 'jose'
import { createTokenVerifier, type TokenVerifier } from './caller-token'

/** Creates a verifier that fetches its public keys from directory, when it first needs them. */
export function createDirectoryVerifier(
  access: Pick<AccessService, 'listVerificationKeys'>,
): TokenVerifier {
  return createTokenVerifier(async () => {
    const { jwks } = await access.listVerificationKeys({})
    return JSON.parse(jwks) as JSONWebKeySet
  })
}
