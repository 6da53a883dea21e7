import { readNatsUrl } from '@sheaf/testkit/engine-process'
import { eventually } from '@sheaf/testkit/eventually'
import { createRest } from '@sheaf/testkit/rest'
import { startSheaf, type InstanceName, type RunningSheaf } from '@sheaf/testkit/sheaf'
import { homeWorkspace } from '../support/system'
import { docIdOf } from './support/document-file'
import {
  homeOf,
  INSTANCES,
  loseInstance,
  replicatedEnv,
  runFaults,
  type World,
} from './support/fault-rounds'

interface ListedInstance {
  readonly name: string
  readonly live: boolean
  readonly drained: boolean
  readonly documents: number
}

const list = async (sheaf: RunningSheaf) =>
  JSON.parse(await sheaf.operate('instances', 'list', '--json')) as ListedInstance[]

const docIdsOf = ({ load }: World) => load.records.map(({ path }) => docIdOf(path))

/** Another instance than this one. */
const otherThan = (name: InstanceName) =>
  INSTANCES[(INSTANCES.indexOf(name as never) + 1) % 3] ?? name

/** Moves every document of the load once, while it is used. */
async function move(world: World): Promise<void> {
  const { sheaf, load } = world
  const refused = load.refused
  for (const docId of docIdsOf(world)) {
    const from = await homeOf(sheaf, docId)
    const to = otherThan(from)
    expect(await sheaf.operate('documents', 'move', docId, to)).toBe(
      `moved from ${from} to ${to}\n`,
    )
    expect(await homeOf(sheaf, docId)).toBe(to)
    await load.goOn()
  }
  expect(load.refused).toBe(refused)
}

/** Drains an instance, which is then lost with its disk. */
async function drain(world: World): Promise<void> {
  const { sheaf, load } = world
  const [docId = ''] = docIdsOf(world)
  const name = await homeOf(sheaf, docId)
  const refused = load.refused
  expect(await sheaf.operate('instances', 'drain', name)).toContain('may be stopped')
  expect((await list(sheaf)).find((each) => each.name === name)).toMatchObject({
    live: true,
    drained: true,
    documents: 0,
  })
  const pid = (await sheaf.pids())[name] ?? 0
  await loseInstance(sheaf, name)
  await load.goOn()
  expect(load.refused).toBe(refused)
  expect(await homeOf(sheaf, docId)).not.toBe(name)
  await sheaf.restarted(name, pid)
  await sheaf.operate('instances', 'drain', name, '--cancel')
  expect((await list(sheaf)).some(({ drained }) => drained)).toBe(false)
}

/** The instance that gets a document ends while it is moved. */
async function loseTarget(world: World): Promise<void> {
  const { sheaf, load } = world
  const [docId = ''] = docIdsOf(world)
  const to = otherThan(await homeOf(sheaf, docId))
  const moving = sheaf.operate('documents', 'move', docId, to).catch(() => 'failed')
  await loseInstance(sheaf, to)
  await load.goOn()
  await moving
  await eventually(async () => (await list(sheaf)).every(({ live }) => live))
}

/** The instance that has a document ends while it is drained. */
async function loseSource(world: World): Promise<void> {
  const { sheaf, load } = world
  const [docId = ''] = docIdsOf(world)
  const from = await homeOf(sheaf, docId)
  const draining = sheaf.operate('instances', 'drain', from)
  await loseInstance(sheaf, from)
  await load.goOn()
  await draining
  await eventually(async () => (await list(sheaf)).every(({ live }) => live))
  await sheaf.operate('instances', 'drain', from, '--cancel')
}

/** An instance is lost, comes back without documents, and gets its share of those of the others. */
async function grow(world: World): Promise<void> {
  const { sheaf, load } = world
  const rest = createRest(sheaf.url, sheaf.ownerKey)
  const docIds: string[] = []
  const path = `/api/workspaces/${await homeWorkspace(rest)}/docs`
  for (let count = 0; count < 30; count++)
    docIds.push((await rest.post<string>(path, { body: {} })).body)
  const [docId = ''] = docIdsOf(world)
  const name = await homeOf(sheaf, docId)
  const pid = (await sheaf.pids())[name] ?? 0
  await loseInstance(sheaf, name)
  // Documents of a lost instance are assigned to others when they are requested.
  for (const id of docIds) await rest.get(`/api/docs/${id}/tables`)
  await load.goOn()
  await sheaf.restarted(name, pid)
  const refused = load.refused
  await eventually(async () => {
    const counts = (await list(sheaf)).map(({ documents }) => documents)
    const mean = counts.reduce((sum, count) => sum + count, 0) / counts.length
    return counts.every((count) => Math.abs(count - mean) <= mean * 0.2 + 3)
  })
  await load.goOn()
  expect(load.refused).toBe(refused)
  for (const id of docIds) expect((await rest.get(`/api/docs/${id}/tables`)).status).toBe(200)
}

describe('documents that are handed over while they are used', () => {
  it('keep all promises, and no request is refused unless an instance is lost meanwhile', async () => {
    const env = { ...replicatedEnv, SHEAF_BALANCE_SECONDS: '0' }
    await using sheaf = await startSheaf({ ownEngines: true, env })
    const faults = { move, drain, loseTarget, loseSource }
    expect(await runFaults({ sheaf, natsUrl: readNatsUrl(sheaf.dataDir), faults })).toEqual([])
  })

  it('keep all promises when they are spread over an instance that comes back', async () => {
    const env = { ...replicatedEnv, SHEAF_BALANCE_SECONDS: '1' }
    await using sheaf = await startSheaf({ ownEngines: true, env })
    const natsUrl = readNatsUrl(sheaf.dataDir)
    expect(await runFaults({ sheaf, natsUrl, faults: { grow } })).toEqual([])
  })
})
