import { eventually } from '@sheaf/testkit/eventually'
import { createRest } from '@sheaf/testkit/rest'
import { startSheaf, type ProcessName, type RunningSheaf } from '@sheaf/testkit/sheaf'
import { allowLoopback } from '../support/webhooks'
import { createTimeLimit, report, roundsOf, untilRandomMoment } from './support/extent'
import { WebhookLoad } from './support/webhook-load'

const VICTIMS: readonly ProcessName[] = ['document-data', 'webhook', 'nats']

/** Ways in which a process is lost, for good or for a while; each resolves when it is there again. */
const faults: readonly ((sheaf: RunningSheaf, victim: ProcessName) => Promise<void>)[] = [
  async function freeze(sheaf, victim) {
    await sheaf.kill(victim, 'SIGSTOP')
    await untilRandomMoment(200, 1_500)
    await sheaf.kill(victim, 'SIGCONT')
  },
  async function kill(sheaf, victim) {
    await sheaf.restarted(victim, await sheaf.kill(victim))
  },
  async function stop(sheaf, victim) {
    await sheaf.restarted(victim, await sheaf.kill(victim, 'SIGTERM'))
  },
]

describe('webhooks of documents that are written to', () => {
  it('get every change that was committed, in order, and no other one, whichever process stops or dies', async () => {
    const timeIsUp = createTimeLimit()
    const rounds = roundsOf(1)
    // A process that dies often is started again later and later, so each round begins anew.
    for (let round = 0; round < rounds && !timeIsUp(); round++) {
      await using sheaf = await startSheaf({ ownEngines: true, env: allowLoopback })
      await using load = await WebhookLoad.start(createRest(sheaf.url, sheaf.ownerKey))
      for (const harm of faults)
        for (const victim of VICTIMS) {
          await untilRandomMoment(50, 500)
          await harm(sheaf, victim)
          const before = { acknowledged: load.acknowledged, delivered: load.delivered }
          await eventually(
            () => {
              expect(load.acknowledged).toBeGreaterThan(before.acknowledged + 5)
              expect(load.delivered).toBeGreaterThan(before.delivered)
            },
            { timeoutMs: 60_000 },
          )
        }
      await load.stop()
      expect(await load.findFaults()).toEqual([])
      report(
        `webhooks: ${round + 1} of ${rounds} rounds; ${load.acknowledged} changes in ${load.delivered} deliveries`,
      )
    }
  })
})
