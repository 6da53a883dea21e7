import { readNatsUrl } from '@sheaf/testkit/engine-process'
import { createRest } from '@sheaf/testkit/rest'
import { startSheaf, type ProcessName } from '@sheaf/testkit/sheaf'
import { describeStatuses, expectNoFaults, killInTurn } from './support/kill-in-turn'
import { MixedLoad } from './support/mixed-load'

const VICTIMS: readonly ProcessName[] = [
  'document-data',
  'directory',
  'webhook',
  'gateway',
  'postgres',
  'nats',
]

/** Kills every process this many times, in turn, under load. */
async function killAll(rounds: number): Promise<{ faults: string[]; told: string }> {
  await using sheaf = await startSheaf({ ownEngines: true })
  await using load = await MixedLoad.start(createRest(sheaf.url, sheaf.ownerKey))
  await killInTurn(sheaf, load, { victims: VICTIMS, rounds, progress: 5 })
  await load.stop()
  const faults = await load.findFaults(sheaf.dataDir, readNatsUrl(sheaf.dataDir))
  return {
    faults,
    told: `${load.acknowledged} writes answered; ${describeStatuses(load.statuses)}`,
  }
}

describe('processes that are killed at any moment under load', () => {
  it('lose nothing that was answered, leave nothing in half, and come back by themselves', async () => {
    await expectNoFaults('kill', killAll)
  })
})
