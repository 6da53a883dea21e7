import { positionText, readPosition, type KeyValue, type Position } from '../../query/cursor'
import type { PageQuery, ReadExtras } from '../../query/read-query'
import type { OrderTerm } from '../../query/sort'
import type { StoredValue } from '../../values/column-type'
import { requireRow, type Connection } from '../sqlite/connections'
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
  { counted, page }: ReadExtras,
): Generator<null, FoundExtras> {
  const total = counted ? countRows(connection, plan) : undefined
  const found = page && (yield* findPage(connection, plan, page))
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

/** The position of a row in the order of a page; undefined when the row does not exist. */
export function findPosition(
  connection: Connection,
  { from, page }: { readonly from: string; readonly page: PageQuery },
  rowId: number,
): Position | undefined {
  const terms = page.terms.map(({ sql }) => sql).join(',')
  return connection
    .raw<KeyValue[]>(`SELECT ${terms} FROM ${from} NOT INDEXED WHERE "id" = ?`)
    .get(...page.params, rowId)
}

function countRows(connection: Connection, { from, where, params }: ReadPlan): number {
  return requireRow(
    connection
      .pluck<number>(`SELECT count(*) FROM ${from} NOT INDEXED WHERE ${where}`)
      .get(...params),
  )
}

function* findPage(
  connection: Connection,
  plan: ReadPlan,
  page: PageQuery,
): Generator<null, { ids: number[]; next?: Position }> {
  const isById = page.terms.length === 1
  // One row more than requested shows whether there is another page.
  const found = isById ? yield* idsById(connection, plan, page) : idsInOrder(connection, plan, page)
  const ids = found.slice(0, plan.limit)
  const last = ids.at(-1)
  if (last === undefined || found.length === ids.length) return { ids }
  return {
    ids,
    next: isById ? [last] : findPosition(connection, { from: plan.from, page }, last),
  }
}

/** In row id order, SQLite can start at the page itself. */
function* idsById(
  connection: Connection,
  plan: ReadPlan,
  { terms, after }: PageQuery,
): Generator<null, number[]> {
  const { from, where, params, limit, offset } = plan
  const isDescending = terms[0]?.descending ?? false
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

/**
 * In any other order SQLite examines all rows that pass the filter and keeps those of the page. The limit of
 * the inner statement, which is none, keeps SQLite from merging the two, so that it computes each key once.
 */
function idsInOrder(
  connection: Connection,
  { from, where, params, limit, offset }: ReadPlan,
  page: PageQuery,
): number[] {
  const keys = page.terms.map(({ sql }, i) => `${sql} AS k${i}`)
  const orderBy = page.terms.map(({ descending }, i) => `k${i}${descending ? ' DESC' : ''}`)
  const start = page.after && afterCondition(page.terms, page.after)
  return connection
    .pluck<number>(
      `SELECT row FROM (
         SELECT "id" AS row, ${keys.join(',')} FROM ${from} NOT INDEXED WHERE ${where} LIMIT -1)
       WHERE ${start?.sql ?? '1'} ORDER BY ${orderBy.join(',')} LIMIT ? OFFSET ?`,
    )
    .all(...page.params, ...params, ...(start?.params ?? []), limit + 1, offset)
}

/** The condition that a row follows a position: greater in the first term in which it differs. */
function afterCondition(
  terms: readonly OrderTerm[],
  position: Position,
): { sql: string; params: StoredValue[] } {
  let sql = '0'
  let params: StoredValue[] = []
  for (let i = terms.length - 1; i >= 0; i--) {
    const value = bound(position[i] ?? null)
    const later = laterCondition(`k${i}`, value, terms[i]?.descending ?? false)
    sql = `(${later.sql} OR (k${i} IS ? AND ${sql}))`
    params = [...later.params, value, ...params]
  }
  return { sql, params }
}

/** SQLite sorts null below all other values. */
function laterCondition(
  key: string,
  value: StoredValue,
  descending: boolean,
): { sql: string; params: StoredValue[] } {
  if (value === null) return { sql: descending ? '0' : `${key} IS NOT NULL`, params: [] }
  return descending
    ? { sql: `(${key} < ? OR ${key} IS NULL)`, params: [value] }
    : { sql: `${key} > ?`, params: [value] }
}

/** An integer is bound as one, so that it is compared with row ids without conversion. */
function bound(value: KeyValue): StoredValue {
  return typeof value === 'number' && Number.isSafeInteger(value) ? BigInt(value) : value
}
