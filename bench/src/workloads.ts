import { rateOf, send, timeOnce, type Target } from './http-load'
import { bodyOf } from './rows'

/** Rows in the table before the workloads run. */
export const TABLE_ROWS = 100_000
const BULK = 500
const RATE_MS = 2_000

/** One kind of work, measured the same way on every target. */
export interface Workload {
  readonly name: string
  readonly unit: 'ms' | 'req/s' | 'rows/s'
  /** What DESIGN §9 asks of Sheaf, as a ratio to the plain server; at most for ms, at least for rates. */
  readonly wanted: number
  measure(target: Target): Promise<number>
}

let nextRow = TABLE_ROWS

function addOne(target: Target): Promise<number> {
  return send(target, '', bodyOf(nextRow++, 1))
}

async function addBulk(target: Target): Promise<number> {
  const body = bodyOf(nextRow, BULK)
  nextRow += BULK
  return send(target, '', body)
}

async function medianOf(times: number, call: () => Promise<unknown>): Promise<number> {
  const all: number[] = []
  for (let time = 0; time < times; time++) all.push(await timeOnce(call))
  return median(all)
}

/** The middle one, or the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length / 2
  return ((sorted[Math.floor(middle)] ?? NaN) + (sorted[Math.ceil(middle) - 1] ?? NaN)) / 2
}

/** The workloads, reads before writes, so that both targets read the same table. */
export const workloads: readonly Workload[] = [
  {
    name: 'fetch all records',
    unit: 'ms',
    wanted: 0.4,
    measure: (to) => medianOf(3, () => send(to, '')),
  },
  {
    name: 'fetch limit=100, 8 clients',
    unit: 'req/s',
    wanted: 1,
    measure: (to) => rateOf(8, RATE_MS, () => send(to, '?limit=100')),
  },
  {
    name: 'filter to 1 row',
    unit: 'ms',
    wanted: 0.5,
    measure: (to) =>
      medianOf(15, () =>
        send(to, `?filter=${encodeURIComponent(JSON.stringify({ Name: ['Customer 77777'] }))}`),
      ),
  },
  {
    name: 'add one record, 8 clients',
    unit: 'req/s',
    wanted: 1,
    measure: (to) => rateOf(8, RATE_MS, () => addOne(to)),
  },
  {
    name: 'add one record, 32 clients',
    unit: 'req/s',
    wanted: 1.5,
    measure: (to) => rateOf(32, RATE_MS, () => addOne(to)),
  },
  {
    name: 'bulk add by 500',
    unit: 'rows/s',
    wanted: 0.5,
    measure: async (to) => (await rateOf(1, RATE_MS, () => addBulk(to))) * BULK,
  },
]

/** Fills the table of a target, in batches. */
export async function fill(target: Target): Promise<void> {
  for (let start = 0; start < TABLE_ROWS; start += 5_000)
    await send(target, '', bodyOf(start, 5_000))
}
