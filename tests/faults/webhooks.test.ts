import { eventually } from '@sheaf/testkit/eventually'
import { createRest } from '@sheaf/testkit/rest'
import { startSheaf, type ProcessName, type RunningSheaf } from '@sheaf/testkit/sheaf'
import { allowLoopback } from '../support/webhooks'
import { createTimeLimit, limitOf, report, roundsOf, untilRandomMoment } from './support/extent'
import { WebhookLoad } from './support/webhook-load'

/**
 * The faults, and the processes that they hit, in turn. A suspended process continues after a while; killed
 * ones are restarted.
 */
const faults: readonly (readonly [NodeJS.Signals, ProcessName])[] = [
  ['SIGSTOP', 'document-data'],
  ['SIGKILL', 'document-data'],
  ['SIGSTOP', 'nats'],
  ['SIGKILL', 'nats'],
  ['SIGSTOP', 'webhook'],
  ['SIGTERM', 'webhook'],
  // Last, because no other process takes over its current deliveries for half a minute.
  ['SIGKILL', 'webhook'],
]

/** Causes the fault, and resolves when the process runs again. */
async function harm(sheaf: RunningSheaf, signal: NodeJS.Signals, victim: ProcessName) {
  const pid = await sheaf.kill(victim, signal)
  if (signal !== 'SIGSTOP') return sheaf.restarted(victim, pid)
  await untilRandomMoment(200, 1_500)
  return sheaf.kill(victim, 'SIGCONT')
}

/** Resolves when writes succeed and webhooks are delivered. */
async function untilBusy(load: WebhookLoad): Promise<void> {
  const { acknowledged, delivered } = load
  const isBusy = () => load.acknowledged > acknowledged + 5 && load.delivered > delivered
  await eventually(isBusy, { timeoutMs: 60_000 })
}

describe('webhooks of documents that are written to', () => {
  it(
    'get every change that was committed, in order, and no other one, whichever process stops or dies',
    async () => {
      const timeIsUp = createTimeLimit()
      const rounds = roundsOf(1)
      // The restart delay of a process that dies often grows, so each round starts with a new Sheaf.
      for (let round = 0; round < rounds && !timeIsUp(); round++) {
        await using sheaf = await startSheaf({ ownEngines: true, env: allowLoopback })
        await using load = await WebhookLoad.start(createRest(sheaf.url, sheaf.ownerKey))
        for (const [signal, victim] of faults) {
          await untilBusy(load)
          await untilRandomMoment(50, 500)
          await harm(sheaf, signal, victim)
        }
        await load.stop()
        expect(await load.findFaults()).toEqual([])
        const { acknowledged, delivered } = load
        report(
          `webhooks: ${round + 1} of ${rounds} rounds; ${acknowledged} changes of rows, ${delivered} deliveries`,
        )
      }
    },
    limitOf(600_000),
  )
})
