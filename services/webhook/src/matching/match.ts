import type { ChangeEvent } from '@sheaf/protos/sheaf/events/v1/changes'
import { followSchema, needsRowState, type Definition, type EventKind } from './definitions'
import { TableSteps, type ChangedRow, type Row } from './entry-rows'

/** An event for one webhook. */
export interface MatchedEvent {
  readonly webhookId: string
  /** Order within the entry. */
  readonly rowNumber: number
  readonly kind: EventKind
  /** The row as JSON after the event; before the event for a removed row. */
  readonly body: string
}

/** The effect of a log entry, or of a piece of a large one, on webhooks. */
export interface Match {
  readonly events: readonly MatchedEvent[]
  /** The definitions after it, in the given order; the same objects where nothing has changed. */
  readonly definitions: readonly Definition[]
  /** Row changes so far by table ref, for the next piece of the same entry. */
  readonly rowCounts: ReadonlyMap<number, number>
}

/**
 * Returns the events that an entry fires, in order. An entry is one bundle: only the state of each row before
 * and after the bundle matters. Row changes of watched tables must contain whole rows where `needsWholeRows`
 * says so. Throws when the entry contradicts itself.
 */
export function matchEntry(
  { operations }: Pick<ChangeEvent, 'operations'>,
  definitions: readonly Definition[],
  earlier: ReadonlyMap<number, number> = new Map(),
): Match {
  const tables = new Map<number, TableSteps>()
  for (const { tableRef } of definitions)
    if (tableRef !== null) tables.set(tableRef, new TableSteps(earlier.get(tableRef) ?? 0))
  let after = definitions
  for (const { operation } of operations) {
    if (!operation) continue
    tables.get(operation.value.tableRef)?.add(operation)
    if (operation.$case === 'schema')
      after = after.map((definition) => followSchema(definition, operation.value))
  }
  const events: MatchedEvent[] = []
  for (const [tableRef, steps] of tables) {
    const watching = definitions.flatMap((before, i) =>
      before.tableRef === tableRef ? [{ before, after: after[i] ?? before }] : [],
    )
    for (const row of steps.rows()) events.push(...matchRow(row, watching))
  }
  const counts = [...tables].map(([ref, { rowCount }]) => [ref, rowCount] as const)
  return { events, definitions: after, rowCounts: new Map([...earlier, ...counts]) }
}

/** True when the entry, as published in the change stream, lacks data that these definitions need. */
export function needsWholeRows(
  { operations, truncated }: ChangeEvent,
  definitions: readonly Definition[],
): boolean {
  if (truncated) return true
  const heeding = new Set(definitions.filter(needsRowState).map(({ tableRef }) => tableRef))
  return operations.some(
    ({ operation }) => operation?.$case === 'updateRows' && heeding.has(operation.value.tableRef),
  )
}

/** A webhook's definition before and after the entry. */
interface Watching {
  readonly before: Definition
  readonly after: Definition
}

function* matchRow(row: ChangedRow, watching: readonly Watching[]): Generator<MatchedEvent> {
  let body: string | undefined
  for (const { before, after } of watching) {
    const kind = eventKindFor(row, before, after)
    if (kind === undefined || !before.kinds.includes(kind)) continue
    body ??= rowJson(row.rowId, row.after ?? row.before ?? new Map())
    yield { webhookId: before.id, rowNumber: row.number, kind, body }
  }
}

/** Returns the kind of event that a changed row is for a webhook, whether or not it selects that kind. */
function eventKindFor(
  row: ChangedRow,
  before: Definition,
  after: Definition,
): EventKind | undefined {
  const wasReady = isReady(row.before, before.readyRef)
  const isReadyNow = isReady(row.after, after.readyRef)
  if (!row.after) return wasReady ? 'remove' : undefined
  if (!isReadyNow) return undefined
  if (!wasReady) return 'add'
  return hasChanged(row, after.watchedRefs) ? 'update' : undefined
}

/** True when the row exists and its ready cell, if one is configured, is exactly true. */
function isReady(row: Row | undefined, readyRef: number | null): boolean {
  if (!row) return false
  return readyRef === null || row.get(readyRef)?.json === 'true'
}

function hasChanged({ before, after }: ChangedRow, watchedRefs: readonly number[]): boolean {
  const refs = watchedRefs.length > 0 ? watchedRefs : [...(after?.keys() ?? [])]
  return refs.some((ref) => {
    const old = before?.get(ref)
    const now = after?.get(ref)
    return old !== undefined && now !== undefined && old.json !== now.json
  })
}

const MANUAL_SORT = 0

function rowJson(rowId: number, row: Row): string {
  const fields = [`"id":${rowId}`]
  const add = ({ id, json }: { id: string; json: string }) =>
    fields.push(`${JSON.stringify(id)}:${json}`)
  const manualSort = row.get(MANUAL_SORT)
  if (manualSort) add(manualSort)
  for (const [ref, cell] of row) if (ref !== MANUAL_SORT) add(cell)
  return `{${fields.join(',')}}`
}
