import { randomBytes } from 'node:crypto'
import { readdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readNatsUrl } from '@sheaf/testkit/engine-process'
import { eventually } from '@sheaf/testkit/eventually'
import { createRest, type Rest } from '@sheaf/testkit/rest'
import { startS3Server } from '@sheaf/testkit/s3-server'
import { startSheaf, type InstanceName, type RunningSheaf } from '@sheaf/testkit/sheaf'
import { TcpProxy } from '@sheaf/testkit/tcp-proxy'
import { addRecords, addTable, homeWorkspace, newDocument, readRecords } from '../support/system'
import { deleteDocuments, docIdOf } from './support/document-file'
import { createTimeLimit, report, roundsOf } from './support/extent'
import { homeOf, ownerOf, replicatedEnv, runFaults, type World } from './support/fault-rounds'
import { createSmallDisk } from './support/small-disk'

/** Rows of several pieces of a snapshot, of which later snapshots take most as they are. */
const MANY = Array.from({ length: 3_000 }, (_, index) => ({
  Word: `long ${index} ${'x'.repeat(300)}`,
}))

/** Creates a document that begins with a snapshot. */
async function makeDocument(rest: Rest): Promise<string> {
  const original = await newDocument(rest)
  await addTable(rest, original, 'Words', { Word: 'Text' })
  await addRecords(rest, `${original}/tables/Words`, [{ Word: 'in the snapshot' }, ...MANY])
  const body = { workspaceId: await homeWorkspace(rest) }
  const path = `/api/docs/${(await rest.post<string>(`${original}/copy`, { body })).body}`
  await addRecords(rest, `${path}/tables/Words`, [{ Word: 'after it' }])
  return path
}

const words = async (rest: Rest, path: string) =>
  (await readRecords(rest, `${path}/tables/Words`))
    .map(({ fields }) => String(fields.Word))
    .filter((word) => !word.startsWith('long'))

/** Uploads a file whose content the store does not have yet. */
function upload(rest: Rest, path: string) {
  const form = new FormData()
  form.append('upload', new Blob([randomBytes(100_000)]), 'a.bin')
  return rest.post<{ details?: { reason?: string } }>(`${path}/attachments`, { body: form })
}

/** What the doctor says about the documents of an instance, also if it finds faults. */
const consultDoctor = (sheaf: RunningSheaf, home: string) =>
  sheaf
    .operate('doctor', '--home', home)
    .catch((error: { readonly stdout?: string }) => error.stdout ?? '')

/** Overwrites files of a document in the store. */
function damage(sheaf: RunningSheaf, path: string, part: 'pieces' | 'snapshots'): void {
  const docId = docIdOf(path)
  const folder = join(sheaf.dataDir, 'store', docId.slice(0, 2), docId, part)
  for (const name of readdirSync(folder)) writeFileSync(join(folder, name), 'damaged')
}

describe('a damaged snapshot', () => {
  const read = (rest: Rest, path: string) =>
    rest.get<{ details?: { reason?: string } }>(`${path}/tables/Words/records`)

  /** Damages the snapshot of a document whose only file is on a paused instance. */
  async function loseSnapshot(
    { sheaf, rest }: { sheaf: RunningSheaf; rest: Rest },
    part: 'pieces' | 'snapshots',
  ): Promise<void> {
    const path = await makeDocument(rest)
    const owner = await homeOf(sheaf, docIdOf(path))
    damage(sheaf, path, part)
    expect(await consultDoctor(sheaf, owner)).toContain(
      `document ${docIdOf(path)}: its snapshot is damaged`,
    )
    await sheaf.kill(owner, 'SIGSTOP')
    let next: InstanceName
    try {
      const refused = await eventually(async () => {
        const reply = await read(rest, path)
        return reply.body.details?.reason === 'SNAPSHOT_DAMAGED' && reply
      })
      expect(refused.status).toBe(503)
      next = await homeOf(sheaf, docIdOf(path))
      expect(next).not.toBe(owner)
    } finally {
      await sheaf.kill(owner, 'SIGCONT')
    }
    // The file of the former owner serves instead of the snapshot.
    await eventually(async () => (await read(rest, path)).status === 200)
    expect(await words(rest, path)).toEqual(['in the snapshot', 'after it'])
    await addRecords(rest, `${path}/tables/Words`, [{ Word: 'later' }])
    // From it the snapshot is stored again, so that both files may be lost.
    await eventually(async () => {
      const told = await consultDoctor(sheaf, next)
      return told.includes('documents checked') && !told.includes(docIdOf(path))
    })
    for (const instance of [owner, next]) {
      await sheaf.kill(instance, 'SIGSTOP')
      await deleteDocuments(sheaf.dataDir, instance)
      await sheaf.kill(instance, 'SIGKILL')
    }
    await eventually(async () => (await read(rest, path)).status === 200)
    expect(await words(rest, path)).toEqual(['in the snapshot', 'after it', 'later'])
    await sheaf.ready()
  }

  it('is named by the doctor, replaced by the file of another instance, and stored again', async () => {
    const timeIsUp = createTimeLimit()
    await using sheaf = await startSheaf({ ownEngines: true, env: replicatedEnv })
    const rest = createRest(sheaf.url, sheaf.ownerKey)
    const rounds = roundsOf(1)
    for (let round = 0; round < rounds && !timeIsUp(); round++) {
      await loseSnapshot({ sheaf, rest }, round % 2 === 0 ? 'pieces' : 'snapshots')
      report(`damaged snapshot: ${round + 1} of ${rounds} rounds`)
    }
  })
})

describe('a store that is away', () => {
  it('holds up only what needs it: documents are read, written and taken over meanwhile, and all promises are kept', async () => {
    await using sheaf = await startSheaf({ ownEngines: true, env: replicatedEnv })
    const rest = createRest(sheaf.url, sheaf.ownerKey)
    const path = await makeDocument(rest)
    const folder = join(sheaf.dataDir, 'store')
    const away = async (world: World) => {
      renameSync(folder, `${folder}-away`)
      try {
        const refused = await upload(rest, path)
        expect([refused.status, refused.body.details?.reason]).toEqual([503, 'STORE_UNAVAILABLE'])
        await world.load.goOn()
        const owner = await ownerOf(world)
        await sheaf.restarted(owner, await sheaf.kill(owner))
        await world.load.goOn()
      } finally {
        renameSync(`${folder}-away`, folder)
      }
      await eventually(async () => (await upload(rest, path)).status === 200)
    }
    const natsUrl = readNatsUrl(sheaf.dataDir)
    expect(await runFaults({ sheaf, natsUrl, faults: { away } })).toEqual([])
  })
})

describe('a bucket that does not respond, or slowly', () => {
  it('holds up only what needs it, and that for seconds: all promises are kept', async () => {
    await using server = await startS3Server()
    const { bucket, endpoint, credentials } = server.settings
    await using proxy = await TcpProxy.start(endpoint)
    const env = {
      ...replicatedEnv,
      SHEAF_S3_BUCKET: bucket,
      SHEAF_S3_ENDPOINT: proxy.through(endpoint),
      SHEAF_S3_ACCESS_KEY_ID: credentials.accessKeyId,
      SHEAF_S3_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    }
    await using sheaf = await startSheaf({ ownEngines: true, env })
    const rest = createRest(sheaf.url, sheaf.ownerKey)
    const path = await makeDocument(rest)
    const loseOwner = async (world: World) => {
      const owner = await ownerOf(world)
      await sheaf.restarted(owner, await sheaf.kill(owner))
      await world.load.goOn()
    }
    const stalled = async (world: World) => {
      proxy.stall()
      try {
        const refused = await upload(rest, path)
        expect([refused.status, refused.body.details?.reason]).toEqual([503, 'STORE_UNAVAILABLE'])
        await world.load.goOn()
        await loseOwner(world)
      } finally {
        proxy.admit()
      }
      await eventually(async () => (await upload(rest, path)).status === 200)
    }
    const slow = async (world: World) => {
      proxy.slowDown(300)
      try {
        expect((await upload(rest, path)).status).toBe(200)
        await loseOwner(world)
        expect(await words(rest, path)).toEqual(['in the snapshot', 'after it'])
      } finally {
        proxy.admit()
      }
    }
    const natsUrl = readNatsUrl(sheaf.dataDir)
    expect(await runFaults({ sheaf, natsUrl, faults: { stalled, slow } })).toEqual([])
  })
})

const disk = createSmallDisk('store', 24)
const onMount = disk.kind === 'tmpfs' ? describe : describe.skip

onMount('a full store', () => {
  it('refuses what needs it with the reason, leaves other writes alone, and recovers', async () => {
    const env = { SHEAF_REPLICATED: 'true' }
    await using sheaf = await startSheaf({ ...disk.options, ownEngines: true, env })
    const rest = createRest(sheaf.url, sheaf.ownerKey)
    const path = await makeDocument(rest)
    await disk.fill(sheaf)
    const refused = await upload(rest, path)
    expect([refused.status, refused.body.details?.reason]).toEqual([503, 'STORE_FULL'])
    expect(refused.headers.get('retry-after')).not.toBeNull()
    await addRecords(rest, `${path}/tables/Words`, [{ Word: 'meanwhile' }])
    expect(await words(rest, path)).toEqual(['in the snapshot', 'after it', 'meanwhile'])
    await disk.free(sheaf)
    await eventually(async () => (await upload(rest, path)).status === 200)
  })
})
