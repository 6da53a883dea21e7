import { startGrpcServer } from '@sheaf/kit/grpc/server'
import { openWith } from '@sheaf/kit/lifecycle'
import type { DocumentDataConfig } from './config'
import { openContext, type Overrides } from './context'
import { createServices } from './handlers/index'
import { HomeReports } from './heartbeat'
import { observeService } from './metrics'
import { Presence } from './presence'

/** Request bodies are up to 48 MiB; the rest is for the other fields of a message. */
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024

/** A running document-data service. Disposing it waits for calls in progress and closes all documents. */
export interface RunningDocumentData extends AsyncDisposable {
  /** `host:port` with the actual port. */
  readonly address: string
  readonly port: number
  /** Number of documents with changes that NATS has not acknowledged. */
  backlog(): number
}

/**
 * Starts the document-data service: opens the data folder, serves, publishes pending changes of earlier runs,
 * and sends heartbeats to directory. Health reports '' (the process), 'nats', and 'documents': that this instance may serve
 * its documents, for which it needs its lease when they are replicated.
 */
export function startDocumentData(
  config: DocumentDataConfig,
  overrides: Overrides = {},
): Promise<RunningDocumentData> {
  return openWith(async (closer) => {
    const ctx = await openContext(config, closer, overrides)
    // Before the server, so that the lease lasts until its last call has been answered.
    const reports = closer.use(new HomeReports(ctx))
    const presence = new Presence()
    const server = await startGrpcServer({
      listen: config.listen,
      tls: config.tls,
      healthListen: config.healthListen,
      services: createServices(ctx, presence),
      verifier: ctx.verifier,
      log: ctx.log,
      maxMessageBytes: MAX_MESSAGE_BYTES,
    })
    closer.use(server)
    // Shutdown does not wait for calls that wait for changes, or watch who is present.
    closer.defer(() => ctx.documents.shared.watch[Symbol.dispose]())
    closer.defer(() => presence[Symbol.dispose]())
    server.setHealth('nats', false)
    server.setHealth('documents', ctx.lease === undefined)
    ctx.lease?.onChanged((isHeld) => server.setHealth('documents', isHeld))
    const observed = observeService(ctx, presence)
    closer.defer(() => observed[Symbol.dispose]())
    ctx.publisher.start((connected) => server.setHealth('nats', connected))
    if (overrides.reportsHome !== false) reports.start(config.address ?? server.address)
    return {
      address: server.address,
      port: server.port,
      backlog: () => ctx.publisher.backlog,
      [Symbol.asyncDispose]: () => closer.close(),
    }
  })
}
