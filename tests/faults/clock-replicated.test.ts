import { createTestClock } from '@sheaf/testkit/clock'
import { readNatsUrl } from '@sheaf/testkit/engine-process'
import { eventually } from '@sheaf/testkit/eventually'
import { createRest } from '@sheaf/testkit/rest'
import { startSheaf } from '@sheaf/testkit/sheaf'
import { tempDir } from '@sheaf/testkit/temp-dir'
import { addRecords, addTable, newDocument, readRecords } from '../support/system'
import { docIdOf } from './support/document-file'
import {
  homeOf,
  INSTANCES,
  ownerOf,
  replicatedEnv,
  runFaults,
  type World,
} from './support/fault-rounds'

const HOUR = 3_600_000
/** A request that is under way when all clocks are set forward has used up its time. */
const OUT_OF_TIME = 'answered 504: {"error":"request timed out"'

describe('clocks of replicated instances', () => {
  it('that are set, of one or of all: the documents of an instance with a wrong clock go to others, and all promises are kept', async () => {
    await using folder = await tempDir()
    const clock = createTestClock(folder.path)
    const env = { ...replicatedEnv, ...clock.env }
    await using sheaf = await startSheaf({ ownEngines: true, env })
    /** Sets the clock of the owner of a document, which has the right time again once others have taken over. */
    const setOwner = (offsetMs: number) => async (world: World) => {
      const owner = await ownerOf(world)
      clock.set(offsetMs, owner)
      try {
        await eventually(async () => (await ownerOf(world)) !== owner)
        await world.load.goOn()
      } finally {
        clock.set(0, owner)
      }
      await world.load.goOn()
    }
    /** Sets the clock of everything but PostgreSQL and NATS, and back. */
    const setAll = (offsetMs: number) => async (world: World) => {
      for (const offset of [offsetMs, 0]) {
        clock.set(offset)
        for (const name of INSTANCES) clock.set(offset, name)
        await world.load.goOn()
      }
    }
    const faults = {
      ownerAhead: setOwner(HOUR),
      ownerBehind: setOwner(-HOUR),
      allAhead: setAll(HOUR),
      allBehind: setAll(-HOUR),
    }
    const natsUrl = readNatsUrl(sheaf.dataDir)
    const broken = await runFaults({ sheaf, natsUrl, faults, gatewayEnv: clock.env })
    expect(broken.filter((fault) => !fault.includes(OUT_OF_TIME))).toEqual([])
    expect(sheaf.output()).toContain('CLOCK_DIFFERS')
  })
})

describe('an owner that is paused while nobody writes', () => {
  it('shows nothing old when it goes on, and its documents are read and written meanwhile', async () => {
    await using sheaf = await startSheaf({ ownEngines: true, env: replicatedEnv })
    const rest = createRest(sheaf.url, sheaf.ownerKey)
    const path = await newDocument(rest)
    const docId = docIdOf(path)
    await addTable(rest, path, 'Words', { Word: 'Text' })
    await addRecords(rest, `${path}/tables/Words`, [{ Word: 'before' }])
    const words = async () =>
      (await readRecords(rest, `${path}/tables/Words`)).map(({ fields }) => fields.Word)
    const owner = await homeOf(sheaf, docId)
    await sheaf.kill(owner, 'SIGSTOP')
    try {
      // The first request waits for the end of the lease, and then asks another instance.
      expect(await words()).toEqual(['before'])
      expect(await homeOf(sheaf, docId)).not.toBe(owner)
      // The others serve everything, so gateways stay in use.
      await eventually(async () => {
        expect(await rest.get('/status?ready=1')).toMatchObject({
          status: 200,
          body: { status: 'ready', warnings: [`${owner} does not respond`] },
        })
      })
      await addRecords(rest, `${path}/tables/Words`, [{ Word: 'meanwhile' }])
    } finally {
      await sheaf.kill(owner, 'SIGCONT')
    }
    // Until it has a lease again, and beyond.
    for (let count = 0; count < 50; count++) expect(await words()).toEqual(['before', 'meanwhile'])
    await sheaf.ready()
    await addRecords(rest, `${path}/tables/Words`, [{ Word: 'after' }])
    expect(await words()).toEqual(['before', 'meanwhile', 'after'])
  })
})
