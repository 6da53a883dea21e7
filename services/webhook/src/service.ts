import { createTokenVerifier, type TokenVerifier } from '@sheaf/kit/caller-token'
import { openChannel } from '@sheaf/kit/grpc-client'
import { startGrpcServer } from '@sheaf/kit/grpc-server'
import { openWith } from '@sheaf/kit/lifecycle'
import { createLogger } from '@sheaf/kit/logger'
import { AccessServiceClientImpl } from '@sheaf/protos/sheaf/directory/v1/access'
import type { WebhookConfig } from './config'

type KeySet = Awaited<ReturnType<Parameters<typeof createTokenVerifier>[0]>>

/** A webhook service that answers calls until it is disposed of. */
export interface RunningWebhook extends AsyncDisposable {
  /** `host:port` that it listens on. */
  readonly address: string
}

/** Starts the webhook service; resolves when it answers. A test may bring its own verifier of callers. */
export function startWebhook(
  config: WebhookConfig,
  overrides: { verifier?: TokenVerifier } = {},
): Promise<RunningWebhook> {
  return openWith(async (closer) => {
    const directory = closer.use(openChannel({ address: config.directoryAddress }))
    const access = new AccessServiceClientImpl(directory)
    const fetchKeys = async () => {
      const { jwks } = await access.listVerificationKeys({})
      return JSON.parse(jwks) as KeySet
    }
    const server = closer.use(
      await startGrpcServer({
        listen: config.listen,
        services: [],
        verifier: overrides.verifier ?? createTokenVerifier(fetchKeys),
        log: createLogger('webhook'),
      }),
    )
    return { address: server.address, [Symbol.asyncDispose]: () => closer.close() }
  })
}
