import { mkdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { readNatsUrl } from '@sheaf/testkit/engine-process'
import { eventually } from '@sheaf/testkit/eventually'
import { createRest } from '@sheaf/testkit/rest'
import { startSheaf, type RunningSheaf } from '@sheaf/testkit/sheaf'
import { createTimeLimit, report, roundsOf, untilRandomMoment } from './support/extent'
import { MixedLoad } from './support/mixed-load'

/** Kills document-data, which starts again on an empty disk. */
async function loseDisk(sheaf: RunningSheaf, round: number): Promise<void> {
  // Stopped, it cannot notice that its files are gone.
  const pid = await sheaf.kill('document-data', 'SIGSTOP')
  const lost = join(sheaf.dataDir, 'lost')
  mkdirSync(lost, { recursive: true })
  renameSync(join(sheaf.dataDir, 'documents'), join(lost, String(round)))
  await sheaf.kill('document-data', 'SIGKILL')
  await sheaf.restarted('document-data', pid)
}

describe('replicated: document-data that is killed and loses its disk, under load', () => {
  it('has everything that was answered, once, and goes on by itself', async () => {
    const timeIsUp = createTimeLimit()
    const rounds = roundsOf(2)
    await using sheaf = await startSheaf({ ownEngines: true, env: { SHEAF_REPLICATED: 'true' } })
    await using load = await MixedLoad.start(createRest(sheaf.url, sheaf.ownerKey))
    for (let round = 0; round < rounds && !timeIsUp(); round++) {
      await untilRandomMoment(50, 500)
      await loseDisk(sheaf, round)
      const before = load.acknowledged
      await eventually(() => load.acknowledged > before + 20)
      report(`lost disk: ${round + 1} of ${rounds} rounds, ${load.acknowledged} writes answered`)
    }
    await load.stop()
    expect(await load.findFaults(sheaf.dataDir, readNatsUrl(sheaf.dataDir))).toEqual([])
  })
})
