import { startGrpcServer } from '@sheaf/kit/grpc/server'
import { openWith } from '@sheaf/kit/lifecycle'
import type { DocumentDataConfig } from './config'
import { openContext, type Overrides } from './context'
import { createServices } from './handlers/index'
import { HomeReports } from './heartbeat'
import { observeService } from './metrics'

/** Bodies of records go up to 48 MiB; the rest is room for what stands around them. */
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024

/** A document-data service that answers. Disposing lets running calls finish and closes all documents. */
export interface RunningDocumentData extends AsyncDisposable {
  /** `host:port` with the real port. */
  readonly address: string
  readonly port: number
  /** Changes that NATS has not confirmed: in how many documents. */
  backlog(): number
}

/**
 * Starts the document-data service: opens its data folder, serves, publishes what an earlier run left, and reports
 * itself to directory. Health knows '' (the process) and 'nats'.
 */
export function startDocumentData(
  config: DocumentDataConfig,
  overrides: Overrides = {},
): Promise<RunningDocumentData> {
  return openWith(async (closer) => {
    const ctx = await openContext(config, closer, overrides)
    const server = await startGrpcServer({
      listen: config.listen,
      tls: config.tls,
      healthListen: config.healthListen,
      services: createServices(ctx),
      verifier: ctx.verifier,
      log: ctx.log,
      maxMessageBytes: MAX_MESSAGE_BYTES,
    })
    closer.use(server)
    // Whoever waits for changes is not waited for.
    closer.defer(() => ctx.documents.shared.watch[Symbol.dispose]())
    server.setHealth('nats', false)
    const observed = observeService(ctx)
    closer.defer(() => observed[Symbol.dispose]())
    ctx.publisher.start((connected) => server.setHealth('nats', connected))
    if (overrides.reportsHome !== false) {
      const { serviceKey, home } = config
      const address = config.address ?? server.address
      closer.use(new HomeReports(ctx, { name: home, address, serviceKey }))
    }
    return {
      address: server.address,
      port: server.port,
      backlog: () => ctx.publisher.backlog,
      [Symbol.asyncDispose]: () => closer.close(),
    }
  })
}
