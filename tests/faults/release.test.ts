import { readNatsUrl } from '@sheaf/testkit/engine-process'
import { eventually } from '@sheaf/testkit/eventually'
import { createRest } from '@sheaf/testkit/rest'
import { startSheaf } from '@sheaf/testkit/sheaf'
import { tempDir } from '@sheaf/testkit/temp-dir'
import { newDocument, readRecords } from '../support/system'
import { docIdOf } from './support/document-file'
import { replicatedEnv, runFaults, type World } from './support/fault-rounds'
import { RecordedLoad } from './support/recorded-load'

/** Documents that are released before those of the load, so many that the instance is killed meanwhile. */
const BEFORE = 200
const GROUP = 20
const NAME = 'document-data-0'

interface Listed {
  readonly name: string
  readonly documents: number
  readonly local: number
}

async function list({ sheaf }: Pick<World, 'sheaf'>): Promise<Listed[]> {
  return JSON.parse(await sheaf.operate('instances', 'list', '--json')) as Listed[]
}

describe('an instance that is killed while it releases its documents from replication', () => {
  it('has everything that was answered, once, also without replication afterwards', async () => {
    await using folder = await tempDir()
    const env = { ...replicatedEnv, SHEAF_INSTANCES: '2' }
    const start = { dataDir: folder.path, ownEngines: true }
    let ownerKey: string
    let paths: string[] = []
    let rows: unknown[]
    let releasing: Promise<unknown> = Promise.resolve()
    const localAtKills: number[] = []

    const begin = ({ sheaf }: World) => {
      releasing = sheaf.operate('documents', 'release', '--all')
      // Awaited later.
      releasing.catch(() => {})
      return Promise.resolve()
    }
    const kill = async (world: World) => {
      const { sheaf, load } = world
      const local = (await list(world)).reduce((sum, each) => sum + each.local, 0)
      localAtKills.push(local)
      await sheaf.restarted(NAME, await sheaf.kill(NAME))
      await load.goOn()
    }
    /** The documents of the load go to and fro while the instance is killed. */
    const killLoad = async ({ sheaf, load }: World) => {
      for (const path of paths)
        await eventually(() => sheaf.operate('documents', 'adopt', docIdOf(path)))
      const each = paths.map((path) => sheaf.operate('documents', 'release', docIdOf(path)))
      const settled = Promise.allSettled(each)
      const pid = await sheaf.kill(NAME)
      await settled
      await sheaf.restarted(NAME, pid)
      await load.goOn()
    }
    const finish = async (world: World) => {
      await releasing
      await world.sheaf.operate('documents', 'release', '--all', '--to', NAME)
      const listed = await list(world)
      const home = listed.find(({ name }) => name === NAME)
      expect(home?.local).toBe(home?.documents)
      expect(listed.reduce((sum, { documents }) => sum + documents, 0)).toBe(home?.documents)
      await world.load.goOn()
    }

    {
      await using sheaf = await startSheaf({ ...start, env })
      ;({ ownerKey } = sheaf)
      const rest = createRest(sheaf.url, ownerKey)
      for (let count = 0; count < BEFORE; count += GROUP)
        await Promise.all(Array.from({ length: GROUP }, () => newDocument(rest, `Before ${count}`)))
      paths = await RecordedLoad.createDocuments(rest)
      const natsUrl = readNatsUrl(sheaf.dataDir)
      const faults = { begin, kill, killAgain: kill, finish, killLoad, finishAgain: finish }
      expect(await runFaults({ sheaf, natsUrl, faults, paths })).toEqual([])
      expect(localAtKills.some((local) => local < BEFORE)).toBe(true)
      rows = await Promise.all(paths.map((path) => readRecords(rest, `${path}/tables/Words`)))
    }
    await using sheaf = await startSheaf({ ...start, ownerKey })
    const rest = createRest(sheaf.url, ownerKey)
    expect(
      await Promise.all(paths.map((path) => readRecords(rest, `${path}/tables/Words`))),
    ).toEqual(rows)
  })
})
