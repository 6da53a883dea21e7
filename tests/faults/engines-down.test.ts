import { execFileSync } from 'node:child_process'
import { readNatsUrl } from '@sheaf/testkit/engine-process'
import { eventually } from '@sheaf/testkit/eventually'
import { createRest, type Rest } from '@sheaf/testkit/rest'
import { startSheaf, type RunningSheaf } from '@sheaf/testkit/sheaf'
import { createTimeLimit, report, roundsOf, untilRandomMoment } from './support/extent'
import { countRepetitions } from './support/log-repetition'
import { MixedLoad } from './support/mixed-load'

/** Takes PostgreSQL down and keeps it down: connections break, and new ones get no response. */
async function takePostgresDown(sheaf: RunningSheaf): Promise<void> {
  const postmaster = await sheaf.kill('postgres', 'SIGSTOP')
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).split('\n')
  for (const line of lines) {
    const [pid, parent] = line.trim().split(/\s+/).map(Number)
    if (pid && parent === postmaster) process.kill(pid, 'SIGKILL')
  }
}

/**
 * Takes PostgreSQL down while the gateway has a lease. On a busy machine the lease may expire first; then
 * this retries. Throws when authorised requests have failed in all of five attempts.
 */
async function takePostgresDownWhileLeased(sheaf: RunningSheaf, goesOn: () => Promise<boolean>) {
  for (let tries = 0; tries < 5; tries++) {
    await eventually(goesOn)
    // The gateway renews its lease every 2 seconds.
    await untilRandomMoment(2_500, 4_000)
    await takePostgresDown(sheaf)
    if (await goesOn()) return
    await sheaf.kill('postgres', 'SIGCONT')
    await sheaf.ready()
  }
  throw new Error('nothing that was authorised went on without PostgreSQL')
}

/** Documents with unpublished changes, as reported by `/status` in either state of readiness. */
async function readBacklog(rest: Rest): Promise<number> {
  const { body } = await rest.get<{ eventsBacklog?: number; details?: { eventsBacklog: string } }>(
    '/status?ready=1',
  )
  return Number(body.eventsBacklog ?? body.details?.eventsBacklog)
}

describe('an engine that is down for a while', () => {
  let sheaf: RunningSheaf
  let rest: Rest
  let load: MixedLoad
  beforeAll(async () => {
    // No request is rejected because the machine is busy with other tests.
    const env = { SHEAF_LOOP_DELAY_MS: '60000' }
    sheaf = await startSheaf({ ownEngines: true, env })
    rest = createRest(sheaf.url, sheaf.ownerKey)
  })
  beforeEach(async () => {
    load = await MixedLoad.start(rest)
  })
  afterEach(() => load?.stop())
  afterAll(async () => {
    await sheaf?.[Symbol.asyncDispose]()
  })

  it('NATS: writes go on, and every change arrives later, in order', async () => {
    const timeIsUp = createTimeLimit()
    for (let round = 0; round < roundsOf(1) && !timeIsUp(); round++) {
      await sheaf.kill('nats', 'SIGSTOP')
      const before = load.acknowledged
      await untilRandomMoment(1_000, 3_000)
      await eventually(() => load.acknowledged > before + 20)
      expect(await readBacklog(rest)).toBeGreaterThan(0)
      await sheaf.kill('nats', 'SIGCONT')
      report(`NATS down: ${round + 1} rounds, ${load.acknowledged} writes answered`)
    }
    await load.stop()
    expect([...load.statuses.keys()]).toEqual([200])
    await eventually(async () => (await readBacklog(rest)) === 0)
    expect(await load.findFaults(sheaf.dataDir, readNatsUrl(sheaf.dataDir))).toEqual([])
  })

  it('PostgreSQL: what is authorised goes on for a moment, then 503, then all is well by itself', async () => {
    const timeIsUp = createTimeLimit()
    const table = `${load.documents[0]?.path}/tables/Words/records`
    for (let round = 0; round < roundsOf(1) && !timeIsUp(); round++) {
      await takePostgresDownWhileLeased(sheaf, async () => (await rest.get(table)).status === 200)
      await eventually(async () => (await rest.get(table)).status === 503)
      const orgs = await rest.get<{ error: string }>('/api/orgs')
      expect(orgs.status).toBe(503)
      expect((await rest.get('/status')).status).toBe(200)
      expect((await rest.get('/status?ready=1')).status).toBe(503)
      await sheaf.kill('postgres', 'SIGCONT')
      await sheaf.ready()
      const before = load.acknowledged
      await eventually(() => load.acknowledged > before + 5)
      report(`PostgreSQL down: ${round + 1} rounds, ${load.acknowledged} writes answered`)
    }
    await load.stop()
    expect(await load.findFaults(sheaf.dataDir, readNatsUrl(sheaf.dataDir))).toEqual([])
    const repeated = [...countRepetitions(sheaf.output())]
    expect(repeated.filter(([, { lines }]) => lines > 30 * roundsOf(1))).toEqual([])
  })
})
