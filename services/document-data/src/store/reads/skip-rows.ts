import { requireRow, type Connection } from '../sqlite/connections'
import { takesAll, type ReadPlan } from './read-plan'

/** Rows skipped per step: a few milliseconds. */
const STEP_ROWS = 16_000

/** The starting point among rows in row id order, and the direction. */
interface Start {
  /** The row before the first one; absent to start at the beginning. */
  readonly after?: number
  readonly descending?: boolean
}

/** A scan of rows in one direction: its bounds and its SQL. */
interface Walk {
  readonly after: number
  /** Beyond all rows. */
  readonly end: number
  /** Ids of the rows after one. */
  readonly ids: string
  /** The condition that a row precedes another one or equals it. */
  readonly upTo: string
  /** The row at this offset, in scan order. */
  readonly nth: string
}

/** Before the first row id. */
const FIRST = Number.MIN_SAFE_INTEGER
/** After the last one. */
const LAST = Number.MAX_SAFE_INTEGER

/**
 * Skips as many rows as the plan requires, in row id order, yielding null between steps so that other work
 * proceeds and an abandoned read ends. Returns the id of the last skipped row, after which the wanted rows
 * begin.
 */
export function* skipRows(
  connection: Connection,
  plan: ReadPlan,
  { after, descending = false }: Start = {},
): Generator<null, number> {
  const from = `FROM ${plan.from} NOT INDEXED WHERE id`
  const walk: Walk = descending
    ? {
        after: after ?? LAST,
        end: FIRST,
        ids: `${from} < ?`,
        upTo: 'id >= ?',
        nth: 'ORDER BY id DESC LIMIT 1 OFFSET ?',
      }
    : {
        after: after ?? FIRST,
        end: LAST,
        ids: `${from} > ?`,
        upTo: 'id <= ?',
        nth: 'ORDER BY id LIMIT 1 OFFSET ?',
      }
  if (plan.offset === 0) return walk.after
  return yield* takesAll(plan)
    ? skipAll(connection, plan, walk)
    : skipPassing(connection, plan, walk)
}

/** Reads no cell: SQLite walks the leaf pages of the table. */
function* skipAll(
  connection: Connection,
  { offset }: ReadPlan,
  { after, end, ids, nth }: Walk,
): Generator<null, number> {
  const find = connection.pluck<number>(`SELECT id ${ids} ${nth}`)
  let at = after
  for (let left = offset; left > 0; left -= STEP_ROWS) {
    const next = find.get(at, Math.min(left, STEP_ROWS) - 1)
    if (next === undefined) return end
    at = next
    yield null
  }
  return at
}

/** Counts the rows that pass the filter, one range of ids at a time. */
function* skipPassing(
  connection: Connection,
  { where, params, offset }: ReadPlan,
  { after, end, ids, upTo, nth }: Walk,
): Generator<null, number> {
  const passing = `${ids} AND ${upTo} AND (${where})`
  const find = connection.pluck<number>(`SELECT id ${ids} ${nth}`)
  const count = connection.pluck<number>(`SELECT count(*) ${passing}`)
  let left = offset
  for (let at: number | undefined = after; at !== undefined;) {
    const next = find.get(at, STEP_ROWS - 1)
    const range = [at, next ?? end, ...params]
    const passed = requireRow(count.get(...range))
    if (passed >= left)
      return requireRow(
        connection.pluck<number>(`SELECT id ${passing} ${nth}`).get(...range, left - 1),
      )
    left -= passed
    yield null
    at = next
  }
  return end
}
