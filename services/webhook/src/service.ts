import { DatabaseHealth } from '@sheaf/kit/postgres/database-health'
import { startGrpcServer } from '@sheaf/kit/grpc/server'
import { openWith } from '@sheaf/kit/lifecycle'
import { startMatching } from './changes/matching'
import type { WebhookConfig } from './config'
import { openContext, type Overrides } from './context'
import { createServices } from './handlers/index'
import { observeSending } from './metrics'
import { DeliveryScheduler } from './delivery/delivery-scheduler'
import { DeliveryLogMaintenance } from './delivery/delivery-log-maintenance'

/** A running webhook service; disposing of it stops it. */
export interface RunningWebhook extends AsyncDisposable {
  /** `host:port` that it listens on. */
  readonly address: string
}

/**
 * Starts the webhook service: migrates its schema and serves. Health checks are '' (the process), 'postgres'
 * and 'nats'. Any number of instances may share one database.
 */
export function startWebhook(
  config: WebhookConfig,
  overrides: Overrides = {},
): Promise<RunningWebhook> {
  return openWith(async (closer) => {
    let checkDatabase = () => {}
    const ctx = await openContext(config, closer, {
      ...overrides,
      onUnavailable: () => checkDatabase(),
    })
    const sender = closer.use(new DeliveryScheduler(ctx.db, ctx.poster, ctx.log))
    ctx.notifier.deliver = () => sender.wake()
    const server = await startGrpcServer({
      listen: config.listen,
      tls: config.tls,
      healthListen: config.healthListen,
      services: createServices(ctx),
      verifier: ctx.verifier,
      log: ctx.log,
    })
    closer.use(server)
    const health = new DatabaseHealth(ctx.db, (serving) => server.setHealth('postgres', serving))
    closer.defer(() => health[Symbol.dispose]())
    server.setHealth('postgres', true)
    server.setHealth('nats', false)
    checkDatabase = () => health.check()
    health.check()
    await startMatching(ctx, closer, {
      natsUrl: config.natsUrl,
      onConnected: (connected) => server.setHealth('nats', connected),
    })
    closer.use(new DeliveryLogMaintenance(ctx.db, ctx.log)).start()
    const observed = observeSending(ctx.db, sender)
    closer.defer(() => observed[Symbol.dispose]())
    sender.wake()
    return { address: server.address, [Symbol.asyncDispose]: () => closer.close() }
  })
}
