import { testEngines } from '@sheaf/testkit/engines'
import { eventually } from '@sheaf/testkit/eventually'
import { createRest } from '@sheaf/testkit/rest'
import { startSheaf, type RunningSheaf } from '@sheaf/testkit/sheaf'
import { TcpProxy, type ProxyFault } from '@sheaf/testkit/tcp-proxy'
import { ClientLoad } from './support/client-load'
import { createTimeLimit, report, roundsOf, untilRandomMoment } from './support/extent'

/** Calls that write, of one Sheaf. */
const WRITES = 10_000
/** How often the gateway is killed meanwhile. */
const KILLS = 3
/** Requests and answers that are lost at least; most faults of the proxy hit a request of a writer. */
const LOST = 100

const faults: readonly ProxyFault[] = ['cut_before', 'cut_after', 'cut_within', 'late']

/**
 * Cuts a request or an answer of some connection many times a second, and now and then all connections, until it is over.
 * Between two faults nothing is cut, so that no write meets one at each attempt.
 */
async function cutConnections(proxy: TcpProxy, isOver: () => boolean): Promise<void> {
  for (let count = 0; !isOver(); count++) {
    if (count % 20 === 0) proxy.refuse()
    else proxy.failNext(faults[count % faults.length] ?? 'late')
    await untilRandomMoment(5, 20)
    proxy.admit()
    await untilRandomMoment(10, 40)
  }
}

/** Kills the gateway, at equal parts of the writes. */
async function killGateway(sheaf: RunningSheaf, load: ClientLoad): Promise<void> {
  for (let kill = 1; kill <= KILLS; kill++) {
    const from = (WRITES * kill) / (KILLS + 1)
    await eventually(() => load.acknowledged >= from, { timeoutMs: 180_000 })
    await sheaf.restarted('gateway', await sheaf.kill('gateway'))
  }
}

/** Writes by clients while connections and the gateway fail; resolves to the promises that were broken. */
async function writeThroughFaults(): Promise<string[]> {
  await using sheaf = await startSheaf({ env: { SHEAF_LOOP_DELAY_MS: '60000' } })
  await using proxy = await TcpProxy.start(sheaf.url)
  const access = { url: proxy.through(sheaf.url), key: sheaf.ownerKey }
  const load = await ClientLoad.start(createRest(sheaf.url, sheaf.ownerKey), access, WRITES)
  let isOver = false
  const cutting = cutConnections(proxy, () => isOver)
  await Promise.all([load.done(), killGateway(sheaf, load)])
  isOver = true
  await cutting
  report(`${load.acknowledged} writes; ${load.unanswered} cut off, ${load.refused} refused`)
  const broken = await load.findFaults(testEngines().natsUrl)
  expect(load.unanswered).toBeGreaterThan(LOST)
  return load.acknowledged === WRITES ? broken : [...broken, `${load.acknowledged} were written`]
}

describe('writes by @sheaf/client, while the gateway is killed and connections are cut', () => {
  it('succeed, and each of their rows is there once', async () => {
    const timeIsUp = createTimeLimit()
    for (let round = 0; round < roundsOf(1) && !timeIsUp(); round++)
      expect(await writeThroughFaults()).toEqual([])
  })
})
