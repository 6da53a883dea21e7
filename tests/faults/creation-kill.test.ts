import { createRest } from '@sheaf/testkit/rest'
import { startSheaf, type ProcessName } from '@sheaf/testkit/sheaf'
import { CreationLoad } from './support/creation-load'
import { describeStatuses, expectNoFaults, killInTurn } from './support/kill-in-turn'

const VICTIMS: readonly ProcessName[] = ['directory', 'document-data', 'postgres']

/** Kills every process this many times, in turn, while documents are created. */
async function killAll(rounds: number): Promise<{ faults: string[]; told: string }> {
  await using sheaf = await startSheaf({ ownEngines: true })
  const stranger = await sheaf.createUser('stranger@example.com', 'Stranger')
  const owner = createRest(sheaf.url, sheaf.ownerKey)
  await using load = await CreationLoad.start(owner, createRest(sheaf.url, stranger.key))
  await killInTurn(sheaf, load, { victims: VICTIMS, rounds, progress: 10 })
  await load.stop()
  const faults = await load.findFaults(sheaf.dataDir)
  return { faults, told: `${load.acknowledged} documents made; ${describeStatuses(load.statuses)}` }
}

describe('services that are killed while documents are created', () => {
  it('keep every document that was answered, once, and show none in half', async () => {
    await expectNoFaults('creation', killAll)
  })
})
