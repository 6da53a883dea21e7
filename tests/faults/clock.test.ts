import { createTestClock } from '@sheaf/testkit/clock'
import { testEngines } from '@sheaf/testkit/engines'
import { eventually } from '@sheaf/testkit/eventually'
import { createRest } from '@sheaf/testkit/rest'
import { startSheaf } from '@sheaf/testkit/sheaf'
import { tempDir } from '@sheaf/testkit/temp-dir'
import { createTimeLimit, report, roundsOf } from './support/extent'
import { MixedLoad } from './support/mixed-load'

const HOUR = 3_600_000
const JUMPS = [HOUR, 0, -HOUR, 40_000, -10 * HOUR, 0]

describe('a clock that is set while Sheaf runs', () => {
  it('forward or back: nothing is lost, no access outlives its end, and work goes on', async () => {
    await using folder = await tempDir()
    const clock = createTestClock(folder.path)
    await using sheaf = await startSheaf({ env: clock.env })
    const rest = createRest(sheaf.url, sheaf.ownerKey)
    // For some milliseconds the processes disagree about the time, and tokens appear to have expired.
    await using load = await MixedLoad.start(rest, { alsoExpected: [401] })
    const timeIsUp = createTimeLimit()
    for (let round = 0; round < roundsOf(1) && !timeIsUp(); round++) {
      for (const [index, offsetMs] of JUMPS.entries()) {
        const bob = await sheaf.createUser(`bob-${round}-${index}@example.com`, 'Bob')
        const asBob = createRest(sheaf.url, bob.key)
        expect((await asBob.get('/api/orgs')).status).toBe(200)
        clock.set(offsetMs)
        const before = load.acknowledged
        await eventually(() => load.acknowledged > before + 20)
        // An access decision from before the change expires with the key nevertheless.
        expect((await asBob.get('/api/orgs')).status).toBe(200)
        await sheaf.operate('keys', 'revoke', bob.key)
        expect((await asBob.get('/api/orgs')).status).toBe(401)
        await eventually(async () => (await rest.get('/status?ready=1')).status === 200)
      }
      report(`clock: ${round + 1} rounds of ${JUMPS.length} jumps, ${load.acknowledged} writes`)
    }
    await load.stop()
    expect(await load.findFaults(sheaf.dataDir, testEngines().natsUrl)).toEqual([])
  })
})
