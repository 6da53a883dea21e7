import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { eventually } from '@sheaf/testkit/eventually'
import { startReceiver, type WebhookReceiver } from '@sheaf/testkit/webhook-receiver'
import { Arrivals } from './arrivals'
import type { Options } from './options'
import type { Report } from './report'
import { percentile } from './statistics'
import { startSheafTarget, type SheafTarget } from './target'
import { addWebhooks, allowArrivals, describeLatencies, openWriter } from './webhook-latency'

const WEBHOOKS_OF_DOCUMENT = 10
/** One webhook in so many leads to nowhere. */
const DEAD_SHARE = 100
/** Rows that each document gets in a round. */
const WRITES_OF_DOCUMENT = 2
const DEAD_KINDS = ['refused', 'hanging', '500'] as const

/** A document, and what is known of its webhooks. */
interface Subscribed {
  readonly recordsPath: string
  readonly healthy: number
  /** Paths in the API of the webhooks that lead to nowhere. */
  readonly dead: readonly string[]
}

/** Very many webhooks, a few of which lead to nowhere: what the others see of these. */
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
  // In turn, so that whatever else the machine does falls on both.
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
  readonly graveyard: Graveyard
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

/** Adds rows to all documents, one after the other; the latencies of the deliveries of healthy webhooks. */
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

/** Gives each dead webhook something to deliver, and waits until all of them are at it. */
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

/** Addresses of which nothing good comes. */
interface Graveyard extends AsyncDisposable {
  /** An address for the dead webhook with this number; the kinds take turns. */
  urlOf(number: number): string
}

async function openGraveyard(): Promise<Graveyard> {
  const hanging = await startReceiver({ answer: () => new Promise(() => {}) })
  const broken = await startReceiver({ answer: () => ({ status: 500 }) })
  const refused = `http://127.0.0.1:${await closedPort()}`
  const urls = { refused, hanging: hanging.url, '500': broken.url }
  const receivers: WebhookReceiver[] = [hanging, broken]
  return {
    urlOf: (number) => `${urls[DEAD_KINDS[number % DEAD_KINDS.length] ?? '500']}/${number}`,
    async [Symbol.asyncDispose]() {
      for (const receiver of receivers) await receiver[Symbol.asyncDispose]()
    },
  }
}

/** A port on which nobody listens. */
async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
