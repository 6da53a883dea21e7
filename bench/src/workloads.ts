import type { WireRequest } from './load/http-connection'
import type { LoadResult } from './load/load'
import { addBody, addOrUpdateBody, patchBody } from './load/rows'
import { median, type Goal } from './statistics'
import type { DownloadForm, Target } from './target'

/** Rows in the table before the workloads run. */
export const TABLE_ROWS = 100_000
/** Rows of one bulk add. */
export const BULK = 500
/** Rows per add-or-update. */
const SYNCED = 100
/** Distinct bodies that a write cycles through. */
const ADD_BODIES = 2_000
const BULK_BODIES = 20

type Unit = 'ms' | 'req/s' | 'rows/s'

/** One kind of work, measured in the same way on every target. */
export interface Workload {
  readonly name: string
  readonly unit: Unit
  /** The goal for Sheaf; absent without one. */
  readonly goal?: Goal
  readonly clients: number
  /** Minimum number of calls in a round, whatever their duration. */
  readonly atLeast?: number
  readonly requests: (target: Target) => WireRequest[]
  /** Returns the figure of one round, in the unit. */
  figure(result: LoadResult): number
}

const ratio = (side: Goal['side'], value: number): Goal => ({ side, value, ratio: true })
const medianMs = ({ latencies }: LoadResult): number => median(latencies)
const callsPerSecond = ({ calls, ms }: LoadResult): number => (calls / ms) * 1000

function get(query: string, more: Readonly<Record<string, string>> = {}) {
  return ({ headers, recordsPath }: Target): WireRequest[] => [
    { method: 'GET', path: recordsPath + query, headers: { ...headers, ...more } },
  ]
}

/** The same requests to the table that is read in orders. */
function toSorted(requests: Workload['requests']): Workload['requests'] {
  return (target) => requests({ ...target, recordsPath: target.sortedPath })
}

function sql(statement: string) {
  return ({ headers, sqlPath }: Target): WireRequest[] => [
    { method: 'GET', path: `${sqlPath}?q=${encodeURIComponent(statement)}`, headers },
  ]
}

/** Further sort keys, all different. */
const furtherKeys = ['Share', 'Count', 'Since', 'Active', 'City'].flatMap((first, i, all) =>
  all
    .filter((_, j) => j !== i)
    .flatMap((second) => [
      [first, second],
      [`-${first}`, second],
      [first, `-${second}`],
      [`-${first}`, `-${second}`],
    ]),
)
let sorts = 0

/** Reads the first page in orders that differ each time, so that none is asked for often enough to be kept. */
function firstSort(by: string, keys: (more: readonly string[]) => string[]): Workload {
  return {
    name: `first sort by ${by}, limit=100`,
    unit: 'ms',
    goal: { side: 'at most', value: 60, ratio: false },
    clients: 1,
    requests: (target) => {
      const from = (sorts += 23) % furtherKeys.length
      const turned = [...furtherKeys.slice(from), ...furtherKeys.slice(0, from)]
      const read = (more: readonly string[]) => get(`?sort=${keys(more).join()}&limit=100`)
      return turned.flatMap((more) => toSorted(read(more))(target))
    },
    figure: medianMs,
  }
}

/** Reads the whole table in another format; the plain server, which supports none, sends JSON. */
function fetchAllAs(form: string, accept: string): Workload {
  return {
    name: `fetch all records as ${form}`,
    unit: 'ms',
    clients: 1,
    atLeast: 3,
    requests: get('', { accept }),
    figure: medianMs,
  }
}

function download(form: DownloadForm) {
  return ({ headers, downloads }: Target): WireRequest[] => [
    { method: 'GET', path: downloads[form], headers },
  ]
}

/** Requests that write records, with a body for each number below `count`. */
function write(method: 'POST' | 'PATCH' | 'PUT', count: number, body: (number: number) => string) {
  return ({ headers, recordsPath }: Target): WireRequest[] =>
    Array.from({ length: count }, (_, number) => ({
      method,
      path: recordsPath,
      headers,
      body: body(number),
    }))
}

function addOne(clients: number, wanted: number): Workload {
  return {
    name: `add one record, ${clients} client${clients === 1 ? '' : 's'}`,
    unit: 'req/s',
    goal: ratio('at least', wanted),
    clients,
    requests: write('POST', ADD_BODIES, (number) => addBody(TABLE_ROWS + number, 1)),
    figure: callsPerSecond,
  }
}

function patch(name: string): Workload {
  return {
    name,
    unit: 'ms',
    goal: ratio('at most', 3),
    clients: 1,
    requests: write('PATCH', BULK_BODIES, (number) => patchBody(number, BULK)),
    figure: medianMs,
  }
}

function bulkAdd(name: string): Workload {
  return {
    name,
    unit: 'rows/s',
    goal: ratio('at least', 0.5),
    clients: 1,
    requests: write('POST', BULK_BODIES, (number) => addBody(TABLE_ROWS + number * BULK, BULK)),
    figure: (result) => callsPerSecond(result) * BULK,
  }
}

/** The same work on the table that is read in orders; no goal is set for it. */
function onSorted({ goal: _, requests, ...work }: Workload): Workload {
  return { ...work, requests: toSorted(requests) }
}

const oneRow = encodeURIComponent(JSON.stringify({ Name: ['Customer 77777'] }))

/** All workloads, reads before writes, so that both targets read the same rows. */
export const workloads: readonly Workload[] = [
  {
    name: 'fetch all records',
    unit: 'ms',
    goal: ratio('at most', 0.4),
    clients: 1,
    atLeast: 3,
    requests: get(''),
    figure: medianMs,
  },
  fetchAllAs('NDJSON', 'application/x-ndjson'),
  fetchAllAs('CSV', 'text/csv'),
  fetchAllAs('Arrow', 'application/vnd.apache.arrow.stream'),
  {
    name: 'fetch limit=100, 8 clients',
    unit: 'req/s',
    goal: ratio('at least', 1),
    clients: 8,
    requests: get('?limit=100'),
    figure: callsPerSecond,
  },
  {
    name: 'filter to 1 row',
    unit: 'ms',
    goal: ratio('at most', 0.5),
    clients: 1,
    requests: get(`?filter=${oneRow}`),
    figure: medianMs,
  },
  firstSort('number', (more) => [`-Price`, ...more]),
  firstSort('text', (more) => ['Name', ...more]),
  firstSort('text beyond ASCII', (more) => ['Note', ...more]),
  firstSort('number and text', ([number = '', ...more]) => [number, 'Note', ...more]),
  {
    name: 'kept order by number and text, limit=100',
    unit: 'ms',
    goal: ratio('at most', 2),
    clients: 1,
    requests: toSorted(get('?sort=-Count,Note&limit=100')),
    figure: medianMs,
  },
  {
    name: 'CSV download',
    unit: 'ms',
    goal: ratio('at most', 0.4),
    clients: 1,
    atLeast: 3,
    requests: download('csv'),
    figure: medianMs,
  },
  {
    name: 'XLSX download',
    unit: 'ms',
    goal: { side: 'at most', value: 2_500, ratio: false },
    clients: 1,
    requests: download('xlsx'),
    figure: medianMs,
  },
  {
    name: 'SQLite download',
    unit: 'ms',
    goal: ratio('at most', 3),
    clients: 1,
    requests: download('sqlite'),
    figure: medianMs,
  },
  {
    name: 'SQL: one row by its id, 8 clients',
    unit: 'req/s',
    goal: { side: 'at least', value: 4_000, ratio: false },
    clients: 8,
    requests: sql('select * from Customers where id = 77777'),
    figure: callsPerSecond,
  },
  {
    name: 'SQL: count and mean by group',
    unit: 'ms',
    clients: 1,
    requests: sql('select City, count(*) as n, avg(Price) as mean from Customers group by City'),
    figure: medianMs,
  },
  {
    name: 'describe a document, 8 clients',
    unit: 'req/s',
    goal: { side: 'at least', value: 4_000, ratio: false },
    clients: 8,
    requests: (target) => [{ method: 'GET', path: target.documentPath, headers: target.headers }],
    figure: callsPerSecond,
  },
  patch('patch 500 records'),
  {
    name: 'add or update 100 by a text key',
    unit: 'ms',
    goal: { side: 'at most', value: 10, ratio: false },
    clients: 1,
    requests: write('PUT', BULK_BODIES, (number) =>
      addOrUpdateBody(number, { count: SYNCED, rows: TABLE_ROWS }),
    ),
    figure: medianMs,
  },
  addOne(1, 0.4),
  addOne(8, 1),
  addOne(32, 1.2),
  bulkAdd('bulk add by 500'),
  // Last: an order that costs more than it saves is dropped.
  onSorted(patch('patch 500 records, beside kept orders')),
  onSorted(bulkAdd('bulk add by 500, beside kept orders')),
  {
    name: 'create documents, 4 clients',
    unit: 'req/s',
    goal: ratio('at least', 0.5),
    clients: 4,
    requests: ({ headers, documentsPath }) => [
      { method: 'POST', path: documentsPath, headers, body: '{"name":"New"}' },
    ],
    figure: callsPerSecond,
  },
]
