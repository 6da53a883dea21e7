import { Closer } from '@sheaf/kit/lifecycle'
import { readNatsUrl } from '@sheaf/testkit/engine-process'
import { eventually } from '@sheaf/testkit/eventually'
import { createRest } from '@sheaf/testkit/rest'
import { startSheaf, type ProcessName } from '@sheaf/testkit/sheaf'
import { allowLoopback } from '../support/webhooks'
import { limitOf } from './support/extent'
import { INSTANCES, replicatedEnv, runFaults, type World } from './support/fault-rounds'
import { PooledGateway } from './support/gateway-pool'
import { WebhookLoad } from './support/webhook-load'

/** Long enough for clients to notice that a gateway is leaving, also on a busy machine. */
const LEAVE_SECONDS = 2

const LIMIT_MS = 600_000

/** Restarts a process in order, and waits until every document is read and written again. */
const restart =
  (name: ProcessName, signal: NodeJS.Signals = 'SIGTERM') =>
  async ({ sheaf, load }: World) => {
    await sheaf.restarted(name, await sheaf.kill(name, signal))
    await load.goOn()
  }

describe('a rolling restart of everything, replicated, under load', () => {
  it(
    'keeps all promises, and webhooks get every change in order',
    async () => {
      const env = { ...replicatedEnv, ...allowLoopback }
      await using sheaf = await startSheaf({ ownEngines: true, env })
      await using webhooks = await WebhookLoad.start(createRest(sheaf.url, sheaf.ownerKey), 1)
      await using replacements = new Closer()
      let current: readonly PooledGateway[] = []
      const replaceGateways = async ({ pool, gateways, load }: World) => {
        const replaced = current.length > 0 ? current : gateways
        const added: PooledGateway[] = []
        for (const old of replaced) {
          const replacement = replacements.use(await PooledGateway.start(sheaf, LEAVE_SECONDS))
          pool.replace(old, replacement)
          old.terminate()
          expect(await old.ended).toBe(0)
          await load.goOn()
          added.push(replacement)
        }
        current = added
      }
      const instances = INSTANCES.map((name) => [name, restart(name)] as const)
      const faults = {
        ...Object.fromEntries(instances),
        directory: restart('directory'),
        webhook: restart('webhook'),
        nats: restart('nats'),
        // Its fast shutdown, which does not wait for clients.
        postgres: restart('postgres', 'SIGINT'),
        gateways: replaceGateways,
      }
      const natsUrl = readNatsUrl(sheaf.dataDir)
      expect(await runFaults({ sheaf, natsUrl, faults, leaveSeconds: LEAVE_SECONDS })).toEqual([])
      const { delivered } = webhooks
      await eventually(() => webhooks.delivered > delivered, { timeoutMs: 60_000 })
      await webhooks.stop()
      expect(await webhooks.findFaults()).toEqual([])
    },
    limitOf(LIMIT_MS),
  )
})
