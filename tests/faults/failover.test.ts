import { setTimeout as delay } from 'node:timers/promises'
import { createTestDatabase, testEngines } from '@sheaf/testkit/engines'
import { readNatsUrl } from '@sheaf/testkit/engine-process'
import { eventually } from '@sheaf/testkit/eventually'
import { startSheaf } from '@sheaf/testkit/sheaf'
import { TcpProxy } from '@sheaf/testkit/tcp-proxy'
import {
  INSTANCES,
  loseInstance,
  ownerOf,
  replicatedEnv,
  runFaults,
  type World,
} from './support/fault-rounds'

/** Longer than the lease of an instance, which is 2 s. */
const PAUSE_MS = 3_000
/** Longer than PostgreSQL may be away before writes are refused. */
const CUT_MS = 1_500

/** Kills the owner of a document, whose files are lost. */
async function loseOwner(world: World): Promise<void> {
  const { sheaf, load } = world
  await loseInstance(sheaf, await ownerOf(world))
  await load.goOn()
}

/** Stops the owner of a document for longer than its lease; it goes on with the writes that it had begun. */
async function pauseOwner(world: World): Promise<void> {
  const { sheaf, load } = world
  const owner = await ownerOf(world)
  await sheaf.kill(owner, 'SIGSTOP')
  try {
    await delay(PAUSE_MS)
    await load.goOn()
  } finally {
    await sheaf.kill(owner, 'SIGCONT')
  }
  await load.goOn()
}

async function restartPostgres({ sheaf, load }: World): Promise<void> {
  await sheaf.restarted('postgres', await sheaf.kill('postgres'))
  await load.goOn()
}

async function restartAll({ sheaf, load }: World): Promise<void> {
  for (const name of INSTANCES) {
    const pids = await sheaf.pids()
    // It is being started again after an earlier round.
    if (pids[name] === undefined) continue
    await sheaf.restarted(name, await sheaf.kill(name, 'SIGTERM'))
    await load.goOn()
  }
}

const faults = { loseOwner, pauseOwner, restartPostgres, restartAll }

describe('replicated documents on several instances, under load', () => {
  it('keep all promises while owners are lost or paused, PostgreSQL restarts and all instances are replaced', async () => {
    await using sheaf = await startSheaf({ ownEngines: true, env: replicatedEnv })
    const natsUrl = readNatsUrl(sheaf.dataDir)
    expect(await runFaults({ sheaf, natsUrl, faults })).toEqual([])
  })

  it('keep all promises while the connections to PostgreSQL break, before and after it has the writes', async () => {
    await using database = await createTestDatabase()
    await using proxy = await TcpProxy.start(database.url)
    const { natsUrl } = testEngines()
    const settings = { ...replicatedEnv, SHEAF_LOG_DATABASE_URL: proxy.through(database.url) }
    await using sheaf = await startSheaf({ databaseUrl: database.url, env: settings })
    const breakNext = (fault: Parameters<TcpProxy['failNext']>[0]) => async (world: World) => {
      proxy.failNext(fault)
      await eventually(() => !proxy.isArmed)
      await world.load.goOn()
    }
    const cut = async ({ load }: World) => {
      proxy.refuse()
      await delay(CUT_MS)
      proxy.admit()
      await load.goOn()
    }
    const loseAnswer = async ({ load }: World) => {
      proxy.failNext('gone_after')
      await eventually(() => !proxy.isArmed)
      await delay(CUT_MS)
      proxy.admit()
      await load.goOn()
    }
    const broken = await runFaults({
      sheaf,
      natsUrl,
      faults: {
        cutBefore: breakNext('cut_before'),
        cutAfter: breakNext('cut_after'),
        late: breakNext('late'),
        loseAnswer,
        cut,
      },
    })
    expect(broken).toEqual([])
    // An error that the code throws on the way must not end a process.
    expect(sheaf.output()).not.toContain('exited unexpectedly')
  })
})
