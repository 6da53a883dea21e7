import { SystemTokenSource } from '@sheaf/auth/system-token'
import { openChannel } from '@sheaf/kit/grpc/client'
import type { Closer } from '@sheaf/kit/lifecycle'
import type { TlsFiles } from '@sheaf/kit/tls'
import { AccessServiceClientImpl } from '@sheaf/protos/sheaf/directory/v1/access'
import { HomesServiceClientImpl } from '@sheaf/protos/sheaf/directory/v1/homes'

/** How directory is reached. */
interface DirectorySettings {
  readonly directoryAddress: string
  readonly tls?: TlsFiles
  readonly serviceKey: string
}

/** Clients of directory. */
export interface DirectoryClients {
  readonly access: AccessServiceClientImpl
  readonly homes: HomesServiceClientImpl
  /** Tokens for calls on behalf of this instance. */
  readonly systemTokens: SystemTokenSource
}

/** Opens clients of directory, which connect on first use; `closer` closes them. */
export function openDirectoryClients(
  { directoryAddress: address, tls, serviceKey }: DirectorySettings,
  closer: Closer,
): DirectoryClients {
  const channel = closer.use(openChannel({ address, tls }))
  const access = new AccessServiceClientImpl(channel)
  const homes = new HomesServiceClientImpl(channel)
  return { access, homes, systemTokens: new SystemTokenSource(access, serviceKey) }
}
