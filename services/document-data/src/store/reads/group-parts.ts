import { groupsSql, type GroupsPlan } from '../../query/groups'
import { requireRow, type Connection } from '../sqlite/connections'

/** A group as a statement returns it. */
interface GroupRow {
  /** JSON text; null for a value that is too long. */
  readonly value: string | null
  readonly count: number
  readonly aggregates: readonly (number | null)[]
}

/** Groups that are read one after the other. */
interface GroupRows {
  rows: readonly GroupRow[]
  next: number
}

/**
 * The groups of a plan in parts of JSON, each after one statement or none: `{"groups":[…],"truncated":…,"total":{…}}`. A
 * group has the groups in it, unless it is an innermost one.
 */
export function* groupParts(
  connection: Connection,
  plan: GroupsPlan,
): Generator<Buffer | null, void> {
  const total = requireRow(readRows(connection, plan, 0)[0])
  yield null
  const levels: GroupRows[] = []
  for (const index of plan.levels.keys()) {
    levels.push({ rows: readRows(connection, plan, index + 1), next: 0 })
    yield null
  }
  const innermost = levels.at(-1)
  const truncated = innermost !== undefined && innermost.rows.length > plan.limit
  if (innermost && truncated) innermost.rows = innermost.rows.slice(0, plan.limit)
  const groups = groupsJson(plan, levels, total.count)
  const tail = `"truncated":${truncated},"total":{${countsJson(plan, total)}}`
  yield Buffer.from(`{"groups":[${groups.join(',')}],${tail}}`)
}

function readRows(connection: Connection, plan: GroupsPlan, depth: number): GroupRow[] {
  const statement = connection.raw<(string | number | null)[]>(groupsSql(plan, depth))
  return statement.all(...plan.params).map((row) => {
    const [value, count, ...aggregates] = depth === 0 ? [null, ...row] : row
    return {
      value: value as string | null,
      count: count as number,
      aggregates: aggregates as (number | null)[],
    }
  })
}

/** The groups of the next rows, as many as are to come at the outermost of the levels. Rows of all levels have the same order. */
function groupsJson(
  plan: GroupsPlan,
  [level, ...inner]: readonly GroupRows[],
  count: number,
): string[] {
  if (!level) return []
  const groups: string[] = []
  for (let left = count; left > 0;) {
    const group = level.rows[level.next]
    if (!group) break
    const within = groupsJson(plan, inner, group.count)
    // The first group that is not listed is one of those in it.
    if (inner.length > 0 && within.length === 0) break
    level.next++
    left -= group.count
    const value = group.value === null ? '"value":null,"isTooLong":true' : `"value":${group.value}`
    const parts = inner.length > 0 ? `,"groups":[${within.join(',')}]` : ''
    groups.push(`{${value},${countsJson(plan, group)}${parts}}`)
  }
  return groups
}

function countsJson({ aggregates }: GroupsPlan, { count, aggregates: values }: GroupRow): string {
  const byColumn: Record<string, Record<string, number | null>> = {}
  aggregates.forEach(({ column, name }, i) => {
    byColumn[column] = { ...byColumn[column], [name]: values[i] ?? null }
  })
  return `"count":${count},"aggregates":${JSON.stringify(byColumn)}`
}
