import { readNatsUrl } from '@sheaf/testkit/engine-process'
import { eventually } from '@sheaf/testkit/eventually'
import { createRest } from '@sheaf/testkit/rest'
import { startSheaf } from '@sheaf/testkit/sheaf'
import { tempDir } from '@sheaf/testkit/temp-dir'
import { newDocument } from '../support/system'
import { limitOf } from './support/extent'
import { loseInstance, replicatedEnv, runFaults, type World } from './support/fault-rounds'
import { RecordedLoad } from './support/recorded-load'

/** Documents that are adopted before those of the load, so many that this takes longer than the start of gateways and load. */
const BEFORE = 1200
const GROUP = 20
const NAME = 'document-data-0'

/** Documents of a Sheaf without replication, which has ended; those of the load come last. */
async function writeLocal(dataDir: string): Promise<{ ownerKey: string; paths: string[] }> {
  await using sheaf = await startSheaf({ dataDir, ownEngines: true })
  const rest = createRest(sheaf.url, sheaf.ownerKey)
  for (let count = 0; count < BEFORE; count += GROUP)
    await Promise.all(Array.from({ length: GROUP }, () => newDocument(rest, `Before ${count}`)))
  return { ownerKey: sheaf.ownerKey, paths: await RecordedLoad.createDocuments(rest) }
}

/** Number of documents that are still on the disk of the instance alone. */
async function countPinned({ sheaf }: World): Promise<number> {
  const listed = await sheaf.operate('instances', 'list', '--json')
  const homes = JSON.parse(listed) as { name: string; pinned: number }[]
  return homes.find(({ name }) => name === NAME)?.pinned ?? 0
}

let pinnedAtKill = 0

/** Kills the instance while it adopts its documents. */
async function kill(world: World): Promise<void> {
  const { sheaf, load } = world
  pinnedAtKill = Math.max(pinnedAtKill, await countPinned(world))
  await sheaf.restarted(NAME, await sheaf.kill(NAME))
  await load.goOn()
}

/** Loses the instance and its disk, once it has adopted all of them. */
async function lose(world: World): Promise<void> {
  const { sheaf, load } = world
  await eventually(async () => (await countPinned(world)) === 0, { timeoutMs: 400_000 })
  const pid = (await sheaf.pids())[NAME] ?? 0
  await loseInstance(sheaf, NAME)
  await load.goOn()
  await sheaf.restarted(NAME, pid)
}

describe('an instance that is replicated from now on, and is killed while it adopts its documents', () => {
  it(
    'has everything that was answered, once, also after its disk is lost',
    async () => {
      await using folder = await tempDir()
      const { ownerKey, paths } = await writeLocal(folder.path)
      const env = { ...replicatedEnv, SHEAF_INSTANCES: '2' }
      await using sheaf = await startSheaf({
        dataDir: folder.path,
        ownerKey,
        ownEngines: true,
        env,
      })
      const faults = { kill, killAgain: kill, lose }
      const natsUrl = readNatsUrl(sheaf.dataDir)
      expect(await runFaults({ sheaf, natsUrl, faults, paths })).toEqual([])
      expect(pinnedAtKill).toBeGreaterThan(0)
    },
    limitOf(600_000),
  )
})
