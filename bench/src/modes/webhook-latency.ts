import type { Rest } from '@sheaf/testkit/rest'
import { Arrivals } from '../load/arrivals'
import { encodeRequest, HttpConnection } from '../load/http-connection'
import type { Figure } from '../report'
import { median, percentile } from '../statistics'
import type { SheafTarget } from '../target'

/** Allows deliveries to the benchmark itself, which is on this machine. */
export const allowArrivals = { SHEAF_WEBHOOK_ALLOWED_HOSTS: '127.0.0.1' }

/** Target of the time from the response to the delivery. */
const GOAL = { side: 'at most', value: 50, ratio: false } as const
const WARM_UP = 50
const WRITES = 300

/**
 * Measures the time from the response to a write to the arrival of its delivery, for one webhook and
 * sequential writes.
 */
export async function measureWebhookLatency(target: SheafTarget): Promise<Figure[]> {
  await using arrivals = await Arrivals.open()
  const recordsPath = await target.addDocument('Webhook')
  await addWebhooks(target.rest, recordsPath, [arrivals.url])
  await using writer = await openWriter(target, arrivals)
  const latencies: number[] = []
  for (let count = 0; count < WARM_UP + WRITES; count++) {
    const [latency = NaN] = await writer.write(recordsPath, 1)
    if (count >= WARM_UP) latencies.push(latency)
  }
  process.stderr.write('measured: webhook\n')
  return describeLatencies('webhook: reply to delivery', latencies, GOAL)
}

/** Reports the median and the 99th percentile of latencies. */
export function describeLatencies(
  name: string,
  latencies: readonly number[],
  goal?: Figure['goal'],
): Figure[] {
  return [
    { name: `${name}, median`, unit: 'ms', sheaf: median(latencies), goal },
    { name: `${name}, 99 %`, unit: 'ms', sheaf: percentile(latencies, 0.99), goal },
  ]
}

/** Adds webhooks for rows added to the table; returns their API paths. */
export async function addWebhooks(
  rest: Rest,
  recordsPath: string,
  urls: readonly string[],
): Promise<string[]> {
  const path = recordsPath.replace(/\/tables\/.*/, '/webhooks')
  const fields = urls.map((url) => ({ url, tableId: 'Customers', eventTypes: ['add'] }))
  const body = { webhooks: fields.map((each) => ({ fields: each })) }
  const made = await rest.post<{ webhooks: { id: string }[] }>(path, { body })
  if (made.status !== 200) throw new Error(`webhooks: answered ${made.status}: ${made.text}`)
  return made.body.webhooks.map(({ id }) => `${path}/${id}`)
}

/** A client that adds rows and waits for their deliveries. */
export interface Writer extends AsyncDisposable {
  /**
   * Adds one row; returns the time from the response to its delivery from each of this many webhooks, in
   * milliseconds.
   */
  write(recordsPath: string, webhooks: number): Promise<number[]>
}

let written = 0

/** Opens a separate connection to the gateway. */
export async function openWriter(target: SheafTarget, arrivals: Arrivals): Promise<Writer> {
  const { port, headers } = target
  const connection = await HttpConnection.open(port)
  return {
    async write(path, webhooks) {
      const Name = `Row ${++written}`
      const body = JSON.stringify({ records: [{ fields: { Name } }] })
      const request = { method: 'POST', path, headers, body }
      const arrived = arrivals.of(Name, webhooks)
      arrived.catch(() => {}) // handled below, unless the write itself fails
      const reply = await connection.send(encodeRequest(`127.0.0.1:${port}`, request))
      const repliedAt = performance.now()
      if (reply.status !== 200) throw new Error(`answered ${reply.status}: ${reply.text}`)
      // It may arrive before the response has been read.
      return (await arrived).map((at) => Math.max(0, at - repliedAt))
    },
    [Symbol.asyncDispose]: () => Promise.resolve(connection.close()),
  }
}
