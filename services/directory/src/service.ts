import { DatabaseHealth } from '@sheaf/kit/postgres/database-health'
import { startGrpcServer } from '@sheaf/kit/grpc/server'
import { openWith } from '@sheaf/kit/lifecycle'
import type { DirectoryConfig } from './config'
import { openContext } from './context'
import { createServices } from './handlers/index'
import { DirectoryMaintenance } from './maintenance'
import { observeHomes } from './metrics'

/** A running directory service. Disposing lets running calls complete and closes everything. */
export interface RunningDirectory extends AsyncDisposable {
  /** `host:port` with the actual port. */
  readonly address: string
  readonly port: number
}

/**
 * Starts the directory service: migrates its schema, creates the signing key if there is none, and serves.
 * Health checks are '' (the process) and 'postgres'. Any number of instances may share one database.
 */
export function startDirectory(config: DirectoryConfig): Promise<RunningDirectory> {
  return openWith(async (closer) => {
    let checkDatabase = () => {}
    const ctx = await openContext(config, closer, () => checkDatabase())
    const server = await startGrpcServer({
      listen: config.listen,
      tls: config.tls,
      healthListen: config.healthListen,
      services: createServices(ctx),
      verifier: ctx.verifier,
      log: ctx.log,
    })
    closer.use(server)
    const observing = observeHomes(ctx.homeAssigner)
    closer.defer(() => observing[Symbol.dispose]())
    const health = new DatabaseHealth(ctx.db, (serving) => server.setHealth('postgres', serving))
    closer.defer(() => health[Symbol.dispose]())
    const wake = () => ctx.outbox.wake()
    wake()
    closer.use(new DirectoryMaintenance(ctx, config, wake)).start()
    server.setHealth('postgres', true)
    checkDatabase = () => health.check()
    health.check()
    return {
      address: server.address,
      port: server.port,
      [Symbol.asyncDispose]: () => closer.close(),
    }
  })
}
