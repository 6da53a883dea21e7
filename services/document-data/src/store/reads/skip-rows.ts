import { requireRow, type Connection } from '../sqlite/connections'
import { takesAll, type ReadPlan } from './read-plan'

/** Rows passed in one go: a few milliseconds. */
const STEP_ROWS = 16_000

/** Where to begin among rows in the order of their ids, and which way they go. */
interface Start {
  /** The row before the first one; absent for the beginning. */
  readonly after?: number
  readonly descending?: boolean
}

/** Rows as SQLite goes through them. */
interface Walk {
  readonly after: number
  /** Beyond all rows. */
  readonly end: number
  /** Ids of the rows after one. */
  readonly ids: string
  /** That a row comes before another one, or is that one. */
  readonly upTo: string
  /** The row after so many, in their order. */
  readonly nth: string
}

/** Before the first row id. */
const FIRST = Number.MIN_SAFE_INTEGER
/** After the last one. */
const LAST = Number.MAX_SAFE_INTEGER

/**
 * Skips as many rows as the plan says, in the order of row ids, in steps between which it gives null, so that
 * other work gets its turn and a read that was given up ends. Returns the id of the last row it skipped: what
 * is wanted comes after it.
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

/** No cell is read: SQLite goes from leaf to leaf of the table. */
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

/** Rows that pass the filter are counted, a range of ids at a time. */
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
