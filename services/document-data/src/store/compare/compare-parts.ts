import { packPart, sendableOperation } from '../feed/change-parts'
import { readLatestSeq, type Operation } from '../log/log'
import { readSchema } from '../schema/schema'
import { openLongReader, type Connection } from '../sqlite/connections'
import type { ComparePlan, RowPosition } from './compare-plan'
import { DifferenceBlock } from './difference-operations'
import { DifferenceCounts } from './difference-counts'
import { findNamedRows, type NamedRowLimits, type NamedRows } from './named-rows'
import { rowDifferences, type Moments } from './row-differences'
import { structureDifferences } from './structure-differences'
import { pairTables, type TablePair } from './table-pairs'

/** Below every row id. */
const FIRST = Number.MIN_SAFE_INTEGER

/**
 * The differences between the moment that the connection sees and that of another file, which is opened here. They are
 * made in parts, on demand; null where other work may run. Lists are packed as parts of changes (see change-parts.ts): the
 * last part is empty, and `continued` tells whether more rows than the plan permits differ. Counts are one part, as JSON.
 */
export function* compareParts(connection: Connection, plan: ComparePlan): Generator<Buffer | null> {
  const other = openLongReader(plan.otherPath)
  try {
    other.prepare('BEGIN').run()
    const moments = plan.otherIsTarget
      ? { before: connection, after: other }
      : { before: other, after: connection }
    yield* plan.answer === 'count' ? countParts(moments, plan) : listParts(moments, plan)
  } finally {
    other.close()
  }
}

function* listParts(moments: Moments, plan: ComparePlan): Generator<Buffer | null> {
  const seq = readLatestSeq(moments.after)
  const pack = (operations: readonly Operation[], continued: boolean) =>
    packPart({
      seq,
      time: 0,
      user: 0,
      cause: 0,
      traceparent: '',
      operations: operations.map((operation) => sendableOperation(operation, true)),
      continued,
    })
  const found = differences(moments, plan)
  for (let next = found.next(); ; next = found.next()) {
    if (next.done) {
      yield pack([], next.value.hasMore)
      return
    }
    const operations = next.value ?? []
    yield operations.length > 0 ? pack(operations, true) : null
  }
}

function* countParts(moments: Moments, plan: ComparePlan): Generator<Buffer | null> {
  const counts = new DifferenceCounts()
  for (const operations of differences(moments, plan)) {
    if (operations) for (const operation of operations) counts.add(operation)
    else yield null
  }
  yield Buffer.from(JSON.stringify(counts.tables))
}

/** What is compared. */
type Selection = Pick<ComparePlan, 'tableRef' | 'position' | 'maxRows'>

/**
 * The differences between two moments, as operations that lead from one to the other: first those of tables and columns,
 * then the rows by table and id. Yields null where other work may run.
 */
export function* differences(
  moments: Moments,
  { tableRef, position, maxRows = Infinity }: Selection,
  limits: NamedRowLimits = {},
): Generator<readonly Operation[] | null, { readonly hasMore: boolean }> {
  const pairs = pairTables(readSchema(moments.before), readSchema(moments.after)).filter(
    ({ ref }) => tableRef === undefined || ref === tableRef,
  )
  if (!position) for (const pair of pairs) yield structureDifferences(pair)
  const named = yield* findNamedRows(moments, limits)
  let left = maxRows
  for (const pair of pairs) {
    const { rows, hasMore } = yield* tableRows(moments, pair, { named, position, left })
    if (hasMore) return { hasMore }
    left -= rows
  }
  return { hasMore: false }
}

interface TableSelection {
  readonly named: NamedRows
  readonly position: RowPosition | undefined
  /** Rows that may still be listed. */
  readonly left: number
}

function* tableRows(
  moments: Moments,
  pair: TablePair,
  { named, position, left }: TableSelection,
): Generator<readonly Operation[] | null, { readonly rows: number; readonly hasMore: boolean }> {
  if (position && pair.ref < position.tableRef) return { rows: 0, hasMore: false }
  const block = new DifferenceBlock(pair)
  const selection = {
    after: position?.tableRef === pair.ref ? position.rowId : FIRST,
    ids: named(pair),
  }
  let rows = 0
  for (const row of rowDifferences(moments, pair, selection)) {
    if (!row) {
      yield null
      continue
    }
    if (rows === left) {
      yield block.take()
      return { rows, hasMore: true }
    }
    rows++
    block.add(row)
    if (block.isFull) yield block.take()
  }
  yield block.take()
  return { rows, hasMore: false }
}
