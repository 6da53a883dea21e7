import { locateDocument } from '@sheaf/testkit/documents'
import { readDatabaseUrl } from '@sheaf/testkit/engine-process'
import { createRest } from '@sheaf/testkit/rest'
import type { InstanceName, RunningSheaf } from '@sheaf/testkit/sheaf'
import { deleteDocuments, docIdOf } from './document-file'
import { createTimeLimit, report, roundsOf, untilRandomMoment } from './extent'
import { GatewayPool, PooledGateway } from './gateway-pool'
import { RecordedLoad } from './recorded-load'

/** The instances of a Sheaf with `replicatedEnv`. */
export const INSTANCES = ['document-data-0', 'document-data-1', 'document-data-2'] as const

/** Settings of a replicated Sheaf, whose instances do not refuse calls because the machine is busy with other tests. */
export const replicatedEnv = {
  SHEAF_REPLICATED: 'true',
  SHEAF_INSTANCES: String(INSTANCES.length),
  SHEAF_LOOP_DELAY_MS: '60000',
}

/** A replicated Sheaf under load. */
export interface World {
  readonly sheaf: RunningSheaf
  readonly load: RecordedLoad
  readonly pool: GatewayPool
  /** Those of the pool, at the beginning. */
  readonly gateways: readonly PooledGateway[]
}

/** How faults are run. */
interface FaultPlan {
  readonly sheaf: RunningSheaf
  readonly natsUrl: string
  /** What is done in each round, in turn, by name. */
  readonly faults: Readonly<Record<string, (world: World) => Promise<void>>>
  /** Documents of the load that were made before; new ones by default. */
  readonly paths?: readonly string[]
  /** Rounds in a usual run; 1 by default. */
  readonly rounds?: number
  /** Seconds for which a gateway goes on after a request to stop it; 0 by default. */
  readonly leaveSeconds?: number
  /** Further environment of the gateways. */
  readonly gatewayEnv?: Readonly<Record<string, string>>
}

/** The instance that a document is assigned to, of a Sheaf with engines of its own. */
export async function homeOf(sheaf: RunningSheaf, docId: string): Promise<InstanceName> {
  return (await locateDocument(readDatabaseUrl(sheaf.dataDir), docId)).home as InstanceName
}

/** Kills an instance, whose files are lost. */
export async function loseInstance(sheaf: RunningSheaf, name: InstanceName): Promise<void> {
  // Stopped, it cannot notice that its files are gone.
  await sheaf.kill(name, 'SIGSTOP')
  await deleteDocuments(sheaf.dataDir, name)
  await sheaf.kill(name, 'SIGKILL')
}

/** The instance of the first document of the load. */
export function ownerOf({ sheaf, load }: World): Promise<InstanceName> {
  return homeOf(sheaf, docIdOf(load.records[0]?.path ?? ''))
}

/** Runs faults under load through two gateways. Resolves to the promises that were broken. */
export async function runFaults(plan: FaultPlan): Promise<string[]> {
  const { sheaf, natsUrl, faults, paths, rounds = 1, leaveSeconds = 0, gatewayEnv } = plan
  const timeIsUp = createTimeLimit()
  await using first = await PooledGateway.start(sheaf, leaveSeconds, gatewayEnv)
  await using second = await PooledGateway.start(sheaf, leaveSeconds, gatewayEnv)
  const gateways = [first, second]
  const pool = new GatewayPool([...gateways])
  await using load = await RecordedLoad.start(pool, createRest(sheaf.url, sheaf.ownerKey), paths)
  await load.goOn()
  const count = roundsOf(rounds)
  for (let round = 0; round < count && !timeIsUp(); round++)
    for (const [name, run] of Object.entries(faults)) {
      await untilRandomMoment(50, 500)
      await run({ sheaf, load, pool, gateways })
      report(`${name}: ${round + 1} of ${count} rounds, ${load.acknowledged} writes acknowledged`)
    }
  await sheaf.ready()
  // Awaited here: the clients are stopped at the end of this function.
  return await load.findFaults(natsUrl)
}
