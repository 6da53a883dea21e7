import { eventually } from '@sheaf/testkit/eventually'
import { startReceiver, type WebhookReceiver } from '@sheaf/testkit/webhook-receiver'
import { Arrivals } from '../load/arrivals'
import { findFreePort } from '../load/free-port'
import type { Options } from '../options'
import type { Report } from '../report'
import { percentile } from '../statistics'
import { startSheafTarget, type SheafTarget } from '../target'
import { addWebhooks, allowArrivals, describeLatencies, openWriter } from './webhook-latency'

const WEBHOOKS_OF_DOCUMENT = 10
/** One in this many webhooks has an unreachable receiver. */
const DEAD_SHARE = 100
/** Rows added to each document in a round. */
const WRITES_OF_DOCUMENT = 2
const DEAD_KINDS = ['refused', 'hanging', '500'] as const

/** A document with its webhooks. */
interface Subscribed {
  readonly recordsPath: string
  readonly healthy: number
  /** API paths of the webhooks with unreachable receivers. */
  readonly dead: readonly string[]
}

/** Measures very many webhooks, a few with unreachable receivers, and how those affect the others. */
export async function measureWebhooks(
  options: Options,
  env: Record<string, string>,
): Promise<Report> {
  await using target = await startSheafTarget({ ...env, ...allowArrivals })
  await using arrivals = await Arrivals.open()
  await using graveyard = await openGraveyard()
  const documents = await subscribe(options.webhooks, { target, arrivals, graveyard })
  const dead = documents.flatMap((document) => document.dead)
  await setEnabled(target, dead, false)
  await runRound(target, arrivals, documents)
  const alone: number[] = []
  const beside: number[] = []
  // Alternating, so that other activity on the machine affects both.
  for (let round = 0; round < options.rounds; round++) {
    alone.push(...(await runRound(target, arrivals, documents)))
    await setEnabled(target, dead, true)
    await untilFailing(target, arrivals, documents)
    beside.push(...(await runRound(target, arrivals, documents)))
    await setEnabled(target, dead, false)
    process.stderr.write(`measured: round ${round + 1} of ${options.rounds}\n`)
  }
  const about =
    `${options.webhooks} webhooks on ${documents.length} documents; ${dead.length} of them lead to an address that refuses ` +
    'connections, one that never answers, or one that answers 500. One client adds a row to one document after the other, ' +
    'each when all healthy webhooks of the document before have delivered theirs. First the dead ones are disabled, then ' +
    `they fail beside the others; ${options.rounds} rounds of ${alone.length / options.rounds} deliveries each.`
  const ratio = (share: number) => percentile(beside, share) / percentile(alone, share)
  return {
    mode: 'webhooks',
    about,
    figures: [
      ...describeLatencies('reply to delivery, without dead webhooks', alone),
      ...describeLatencies('reply to delivery, beside dead webhooks', beside),
      { name: 'beside to without: median', unit: '', sheaf: ratio(0.5) },
      { name: 'beside to without: 99 %', unit: '', sheaf: ratio(0.99) },
    ],
    tables: [],
  }
}

interface Places {
  readonly target: SheafTarget
  readonly arrivals: Arrivals
  readonly graveyard: DeadReceivers
}

async function subscribe(webhooks: number, places: Places): Promise<Subscribed[]> {
  const documents: Subscribed[] = []
  const wantedDead = Math.ceil(webhooks / DEAD_SHARE)
  for (let left = webhooks, deadMade = 0; left > 0; left -= WEBHOOKS_OF_DOCUMENT) {
    const { target, arrivals, graveyard } = places
    const recordsPath = await target.addDocument(`Subscribed ${documents.length}`)
    const deadUrls = deadMade < wantedDead ? [graveyard.urlOf(deadMade++)] : []
    const healthy = Math.min(left, WEBHOOKS_OF_DOCUMENT) - deadUrls.length
    const healthyUrls = Array.from({ length: healthy }, (_, index) => `${arrivals.url}/${index}`)
    const paths = await addWebhooks(target.rest, recordsPath, [...healthyUrls, ...deadUrls])
    documents.push({ recordsPath, healthy, dead: paths.slice(healthy) })
  }
  process.stderr.write(`made: ${webhooks} webhooks\n`)
  return documents
}

/** Adds rows to all documents, sequentially; returns the latencies of the deliveries of healthy webhooks. */
async function runRound(
  target: SheafTarget,
  arrivals: Arrivals,
  documents: readonly Subscribed[],
): Promise<number[]> {
  await using writer = await openWriter(target, arrivals)
  const latencies: number[] = []
  for (let turn = 0; turn < WRITES_OF_DOCUMENT; turn++)
    for (const { recordsPath, healthy } of documents)
      latencies.push(...(await writer.write(recordsPath, healthy)))
  return latencies
}

async function setEnabled(
  { rest }: SheafTarget,
  paths: readonly string[],
  enabled: boolean,
): Promise<void> {
  for (const path of paths) {
    const { status, text } = await rest.patch(path, { body: { enabled } })
    if (status !== 200) throw new Error(`a webhook: answered ${status}: ${text}`)
  }
}

/** Queues a delivery for each dead webhook, and waits until all of them are being attempted. */
async function untilFailing(
  target: SheafTarget,
  arrivals: Arrivals,
  documents: readonly Subscribed[],
): Promise<void> {
  const concerned = documents.filter(({ dead }) => dead.length > 0)
  await runRound(target, arrivals, concerned)
  for (const { dead } of concerned)
    for (const path of dead) await eventually(() => isAtIt(target, path), { timeoutMs: 30_000 })
}

async function isAtIt({ rest }: SheafTarget, path: string): Promise<boolean> {
  const [list = '', id = ''] = path.split(/\/(?=[^/]*$)/)
  const { body } = await rest.get<{ webhooks: { id: string; usage: { status: string } }[] }>(list)
  const status = body.webhooks.find((webhook) => webhook.id === id)?.usage.status
  return status === 'sending' || status === 'retrying'
}

/** Addresses that never accept a delivery. */
interface DeadReceivers extends AsyncDisposable {
  /** Returns the address of the dead webhook with this number; the kinds alternate. */
  urlOf(number: number): string
}

async function openGraveyard(): Promise<DeadReceivers> {
  const hanging = await startReceiver({ answer: () => new Promise(() => {}) })
  const broken = await startReceiver({ answer: () => ({ status: 500 }) })
  const refused = `http://127.0.0.1:${await findFreePort()}`
  const urls = { refused, hanging: hanging.url, '500': broken.url }
  const receivers: WebhookReceiver[] = [hanging, broken]
  return {
    urlOf: (number) => `${urls[DEAD_KINDS[number % DEAD_KINDS.length] ?? '500']}/${number}`,
    async [Symbol.asyncDispose]() {
      for (const receiver of receivers) await receiver[Symbol.asyncDispose]()
    },
  }
}
