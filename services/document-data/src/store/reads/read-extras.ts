import { positionText, readPosition, type Position } from '../../query/cursor'
import { bound } from '../../query/position-condition'
import type { PageQuery, ReadExtras } from '../../query/read-query'
import { requireRow, type Connection } from '../sqlite/connections'
import { findPosition, idsInOrder } from './ordered-ids'
import type { ReadPlan } from './read-plan'
import { skipRows } from './skip-rows'

/** Results besides the rows. */
export interface ReadFacts {
  /** Rows that pass the filter, when they were to be counted. */
  readonly total?: number
  /** Where the page ends, when there is a page and more rows after it. */
  readonly next?: Position
}

/** The text before the rows, and the rows of the page if there is one. */
interface FoundExtras {
  readonly line: Buffer
  readonly ids?: readonly number[]
}

const NEWLINE = 0x0a

/**
 * Computes the extras: one line of JSON, which `takeFacts` reads, and the rows of the page. Yields null while
 * it skips rows.
 */
export function* findExtras(
  connection: Connection,
  plan: ReadPlan,
  { counted, page, total: known }: ReadExtras,
): Generator<null, FoundExtras> {
  const both =
    counted && page && isSlowFirstPage(plan, page) ? countPage(connection, plan) : undefined
  const total = both?.total ?? (counted ? countRows(connection, plan) : known)
  const found = page && (yield* findPage(connection, plan, page, both?.ids))
  const next = found?.next && positionText(found.next)
  return { line: Buffer.from(`${JSON.stringify({ total, next })}\n`), ids: found?.ids }
}

/** Splits the facts from the first chunk of a reply; also returns the rest of the chunk. */
export function takeFacts(first: Buffer): { facts: ReadFacts; rest: Buffer } {
  const end = first.indexOf(NEWLINE)
  const { total, next } = JSON.parse(first.toString('utf8', 0, end)) as {
    total?: number
    next?: string
  }
  const facts = { total, next: next === undefined ? undefined : readPosition(next) }
  return { facts, rest: first.subarray(end + 1) }
}

function countRows(connection: Connection, { from, where, params }: ReadPlan): number {
  return requireRow(
    connection
      .pluck<number>(`SELECT count(*) FROM ${from} NOT INDEXED WHERE ${where}`)
      .get(...params),
  )
}

/** A search examines every row once for the count, and often again for the first page in row id order. */
function isSlowFirstPage({ searched, order, offset }: ReadPlan, { after }: PageQuery): boolean {
  return searched !== undefined && order.terms.length === 1 && offset === 0 && !after
}

/** The number of rows, and the ids of the first ones: one more than the page has. */
function countPage(
  connection: Connection,
  { from, where, params, order, limit }: ReadPlan,
): { total: number; ids: number[] } {
  const direction = order.terms[0]?.descending ? ' DESC' : ''
  const all = connection.pluck<number>(
    `SELECT "id" FROM ${from} NOT INDEXED WHERE ${where} ORDER BY "id"${direction}`,
  )
  const ids: number[] = []
  let total = 0
  for (const id of all.iterate(...params)) {
    total++
    if (ids.length <= limit) ids.push(id)
  }
  return { total, ids }
}

/** @param first the ids of the first rows, if they are known: one more than the page has */
function* findPage(
  connection: Connection,
  plan: ReadPlan,
  page: PageQuery,
  first?: readonly number[],
): Generator<null, { ids: number[]; next?: Position }> {
  const isById = plan.order.terms.length === 1
  // One row more than requested shows whether there is another page.
  const found =
    first ??
    (isById
      ? yield* idsById(connection, plan, page)
      : idsInOrder(connection, plan, { after: page.after, more: 1 }))
  const ids = found.slice(0, plan.limit)
  const last = ids.at(-1)
  if (last === undefined || found.length === ids.length) return { ids }
  return {
    ids,
    next: isById ? [last] : findPosition(connection, plan, last),
  }
}

/** In row id order, SQLite can start at the page itself. */
function* idsById(
  connection: Connection,
  plan: ReadPlan,
  { after }: PageQuery,
): Generator<null, number[]> {
  const { from, where, params, limit, offset, order } = plan
  const isDescending = order.terms[0]?.descending ?? false
  // When the rows are known, they are few.
  const skipsAhead = offset > 0 && plan.inRanges
  const start = skipsAhead
    ? [yield* skipRows(connection, plan, { after: after?.[0] as number, descending: isDescending })]
    : (after ?? [])
  const isAfter = start.length > 0 ? `"id" ${isDescending ? '<' : '>'} ? AND ` : ''
  return connection
    .pluck<number>(
      `SELECT "id" FROM ${from} NOT INDEXED WHERE ${isAfter}(${where})
       ORDER BY "id"${isDescending ? ' DESC' : ''} LIMIT ? OFFSET ?`,
    )
    .all(...start.map(bound), ...params, limit + 1, skipsAhead ? 0 : offset)
}
