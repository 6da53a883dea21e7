import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { readNatsUrl } from '@sheaf/testkit/engine-process'
import { createRest, type Rest } from '@sheaf/testkit/rest'
import { startSheaf, type InstanceName, type RunningSheaf } from '@sheaf/testkit/sheaf'
import { addRecords, addTable, homeWorkspace, newDocument, readRecords } from '../support/system'
import { addInstance, type AddedInstance } from './support/added-instance'
import { docIdOf } from './support/document-file'
import { limitOf } from './support/extent'
import {
  homeOf,
  loseInstance,
  ownerOf,
  replicatedEnv,
  runFaults,
  type World,
} from './support/fault-rounds'

const LIMIT_MS = 600_000
/** Longer than any call of the store is repeated for. */
const AWAY_MS = 60_000
const ADDED: InstanceName = 'document-data-3'
const documentData = join(__dirname, '../../services/document-data')
/** The next release, which has a migration of documents more. */
const nextRelease = [
  '--require',
  join(documentData, 'tests/support/next-release.cjs'),
  join(documentData, 'dist/main.js'),
]

/** A document that is written all day, and is restored to its morning. */
class RestoredDocument {
  private constructor(
    private readonly rest: Rest,
    private readonly path: string,
    private readonly morning: string,
  ) {}

  /** Creates it as a copy, which begins with a snapshot in the store, with the words that it has again in the end. */
  static async create(rest: Rest): Promise<RestoredDocument> {
    const original = await newDocument(rest, 'Original')
    await addTable(rest, original, 'Words', { Word: 'Text' })
    const body = { workspaceId: await homeWorkspace(rest) }
    const path = `/api/docs/${(await rest.post<string>(`${original}/copy`, { body })).body}`
    await addRecords(rest, `${path}/tables/Words`, [{ Word: 'morning' }])
    return new RestoredDocument(rest, path, new Date().toISOString())
  }

  /** Adds a word; none that was acknowledged before is lost. */
  async add(word: string): Promise<void> {
    const before = await this.words()
    await addRecords(this.rest, `${this.path}/tables/Words`, [{ Word: word }])
    expect(await this.words()).toEqual([...before, word])
  }

  async restore(): Promise<void> {
    const body = { asOf: this.morning }
    expect((await this.rest.post(`${this.path}/restore`, { body })).status).toBe(200)
    expect(await this.words()).toEqual(['morning'])
  }

  private async words(): Promise<unknown[]> {
    const rows = await readRecords(this.rest, `${this.path}/tables/Words`)
    return rows.map(({ fields }) => fields.Word)
  }
}

const listedOf = async (sheaf: RunningSheaf, name: InstanceName) => {
  const listed = await sheaf.operate('instances', 'list', '--json')
  const instances = JSON.parse(listed) as readonly { name: string; documents: number }[]
  return instances.find((each) => each.name === name)
}

/** The instance of the load is drained, stopped, and deleted with its disk; it comes back empty. */
async function drainOwner(world: World): Promise<void> {
  const { sheaf, load } = world
  const owner = await ownerOf(world)
  const { refused } = load
  expect(await sheaf.operate('instances', 'drain', owner)).toContain('may be stopped')
  expect(await listedOf(sheaf, owner)).toMatchObject({ documents: 0 })
  const pid = (await sheaf.pids())[owner] ?? 0
  await loseInstance(sheaf, owner)
  await load.goOn()
  expect(load.refused).toBe(refused)
  await sheaf.restarted(owner, pid)
  await sheaf.operate('instances', 'drain', owner, '--cancel')
}

/** The instance of the load is killed, and its disk is lost. */
async function loseOwner(world: World): Promise<void> {
  const { sheaf, load } = world
  const owner = await ownerOf(world)
  const pid = (await sheaf.pids())[owner] ?? 0
  await loseInstance(sheaf, owner)
  await load.goOn()
  await sheaf.restarted(owner, pid)
}

async function restartPostgres({ sheaf, load }: World): Promise<void> {
  await sheaf.restarted('postgres', await sheaf.kill('postgres'))
  await load.goOn()
}

/** The store is away, and the instance of the load is killed meanwhile. */
async function loseStore(world: World): Promise<void> {
  const { sheaf, load } = world
  const folder = join(sheaf.dataDir, 'store')
  const owner = await ownerOf(world)
  let pid: number
  renameSync(folder, `${folder}-away`)
  // Otherwise an instance that starts would make the folder anew.
  writeFileSync(folder, 'away')
  try {
    pid = await sheaf.kill(owner)
    await delay(AWAY_MS)
    await load.goOn()
  } finally {
    rmSync(folder)
    renameSync(`${folder}-away`, folder)
  }
  await sheaf.restarted(owner, pid)
  await load.goOn()
}

describe('a day of several instances, under load', () => {
  it(
    'keeps all promises while one is drained, one lost and one of the next release added, PostgreSQL restarts, the store is away and a document is restored',
    async () => {
      await using sheaf = await startSheaf({ ownEngines: true, env: replicatedEnv })
      const restored = await RestoredDocument.create(createRest(sheaf.url, sheaf.ownerKey))
      let added: AddedInstance | undefined
      const addOne = async ({ load }: World) => {
        added ??= await addInstance(sheaf, ADDED, nextRelease)
        for (const { path } of load.records) {
          await sheaf.operate('documents', 'move', docIdOf(path), ADDED)
          expect(await homeOf(sheaf, docIdOf(path))).toBe(ADDED)
        }
        await load.goOn()
      }
      const stopAdded = async ({ load }: World) => {
        expect(await added?.stop()).toBe(0)
        await load.goOn()
      }
      const hours = { drainOwner, loseOwner, addOne, restartPostgres, stopAdded, loseStore }
      const faults = Object.fromEntries(
        Object.entries(hours).map(([name, run]) => [
          name,
          async (world: World) => {
            await run(world)
            await restored.add(`after ${name}`)
          },
        ]),
      )
      try {
        expect(await runFaults({ sheaf, natsUrl: readNatsUrl(sheaf.dataDir), faults })).toEqual([])
        await restored.restore()
      } finally {
        await added?.[Symbol.asyncDispose]()
      }
    },
    limitOf(LIMIT_MS),
  )
})
