import type { Condition } from '../../query/allowed-values'
import type { KeyValue, Position } from '../../query/cursor'
import { positionCondition, withinPrefix } from '../../query/position-condition'
import type { Order } from '../../query/sort'
import { isKept, readKeptPage } from '../indexes/kept-orders'
import { requireRow, type Connection } from '../sqlite/connections'
import { clausesOf, type ReadPlan } from './read-plan'

/** A page is bounded beforehand when the table has this many times its rows. */
const MIN_TABLE_PAGES = 20
/** Rows of the sample at least; with it, the sort of a page of 100 of 100,000 rows sorts some 4,000. */
const MIN_SAMPLE = 2_000
/** Rows of the sample at most, which are found one by one. */
const MAX_SAMPLE = 20_000

/** Length of the longest common prefix of texts that is used. */
const MAX_PREFIX = 200

/** Where a page starts and how many rows it needs. */
interface PageBounds {
  /** End of the previous page; absent for the first page. */
  readonly after?: Position
  /** Rows beyond the limit of the plan. */
  readonly more?: number
}

/** The position of a row in an order; undefined when the row does not exist. */
export function findPosition(
  connection: Connection,
  { from, order }: { readonly from: string; readonly order: Order },
  rowId: number,
): Position | undefined {
  return connection
    .raw<KeyValue[]>(`SELECT ${termsOf(order)} FROM ${from} NOT INDEXED WHERE "id" = ?`)
    .get(...order.params, rowId)
}

/**
 * Ids of the rows of a read in its order: by a kept order if the plan names one. Otherwise SQLite examines all rows that pass the filter and keeps those of the page. The
 * keys of text take most of the time, so a sample of the rows first gives a bound of the page: of most rows, the first
 * term, or the first letters of a text, then tell that they are beyond it.
 */
export function idsInOrder(
  connection: Connection,
  plan: ReadPlan,
  { after, more = 0 }: PageBounds = {},
): number[] {
  const { order, limit, offset, kept } = plan
  if (kept && limit > 0 && isKept(connection, kept))
    return readKeptPage(connection, kept, { after, limit: limit + more, offset })
  const whole: ReadPlan = { ...plan, limit: limit > 0 ? limit + more : 0 }
  const page = after ? restrict(whole, positionCondition(order.terms, after, 'after')) : whole
  const { sql, params } = clausesOf(boundPage(connection, page))
  return connection.pluck<number>(`SELECT "id" FROM ${plan.from} NOT INDEXED ${sql}`).all(...params)
}

function restrict(plan: ReadPlan, { sql, params }: Condition): ReadPlan {
  return { ...plan, where: `(${plan.where}) AND ${sql}`, params: [...plan.params, ...params] }
}

function termsOf({ terms }: Order): string {
  return terms.map(({ sql }) => sql).join(',')
}

/**
 * The same read, restricted to rows up to a position that the page does not reach beyond: that of the last row of a page
 * of the same size in a sample of the table. The read itself when a bound would not pay, or when too few rows of the
 * sample pass the filter.
 */
function boundPage(connection: Connection, plan: ReadPlan): ReadPlan {
  const { from, order, limit, offset, isNarrow } = plan
  const [term] = order.terms
  if (isNarrow || limit === 0 || !term || order.terms.every(({ text }) => text === undefined))
    return plan
  const sampled = sampleOf(connection, from, limit + offset)
  if (!sampled) return plan
  const last = { ...restrict(plan, sampled), limit: 1, offset: limit + offset - 1 }
  const { sql, params } = clausesOf(last)
  const end = connection
    .raw<KeyValue[]>(`SELECT ${termsOf(order)} FROM ${from} NOT INDEXED ${sql}`)
    .get(...order.params, ...params)
  if (!end) return plan
  const prefix = sharedPrefix(connection, { from, text: term.text, sampled })
  const within = prefix === undefined ? undefined : withinPrefix(term, end[0] ?? null, prefix)
  const near = within ? restrict(plan, within) : plan
  return restrict(near, positionCondition(order.terms, end, 'upTo'))
}

/** The condition that a row is one of the sample; undefined for a table of few pages. */
function sampleOf(connection: Connection, from: string, rows: number): Condition | undefined {
  const first = idAt(connection, from, 'min')
  const last = idAt(connection, from, 'max')
  if (first === null || last === null || last - first < rows * MIN_TABLE_PAGES) return undefined
  const wanted = Math.min(Math.max(Math.sqrt((last - first) * rows), MIN_SAMPLE), MAX_SAMPLE)
  const step = Math.max(1, Math.floor((last - first) / wanted))
  return {
    sql: `"id" IN (WITH RECURSIVE s(i) AS (VALUES(?) UNION ALL SELECT i+? FROM s WHERE i<?) SELECT i FROM s)`,
    params: [first, step, last].map(BigInt),
  }
}

/** Asked for one at a time, since SQLite would scan the table for both. */
function idAt(connection: Connection, from: string, end: 'min' | 'max'): number | null {
  return requireRow(connection.pluck<number | null>(`SELECT ${end}(id) FROM ${from}`).get())
}

/** What the texts of the sample begin with; undefined when there are none. */
function sharedPrefix(
  connection: Connection,
  { from, text, sampled }: { from: string; text: string | undefined; sampled: Condition },
): string | undefined {
  if (text === undefined) return undefined
  const [low, high] = requireRow(
    connection
      .raw<KeyValue[]>(
        `SELECT min(${text}), max(${text}) FROM ${from} NOT INDEXED WHERE ${sampled.sql} AND ${text}<>''`,
      )
      .get(...sampled.params),
  )
  if (typeof low !== 'string' || typeof high !== 'string') return undefined
  let length = 0
  while (length < MAX_PREFIX && length < low.length && low[length] === high[length]) length++
  return low.slice(0, length).replace(/[\ud800-\udbff]$/, '')
}
