import type { SchemaChange } from '@sheaf/protos/sheaf/events/v1/changes'

/** Kinds of events that a webhook can ask for. */
export type EventKind = 'add' | 'update' | 'remove'

/** What decides whether an event fires for a webhook. Tables and columns are meant by their refs. */
export interface Definition {
  readonly id: string
  readonly kinds: readonly EventKind[]
  /** Null when the table is gone: nothing fires. */
  readonly tableRef: number | null
  /** Column whose cell must be true; null when every row counts. */
  readonly readyRef: number | null
  /** Columns of which one must change for an update; none for any column. */
  readonly watchedRefs: readonly number[]
}

/**
 * The definition after a change of tables or columns: the same one unless what it refers to was removed. Renames do not
 * concern it, and what an undo brings back is not taken up again.
 */
export function followSchema(definition: Definition, change: SchemaChange): Definition {
  if (definition.tableRef !== change.tableRef) return definition
  if (change.kind === 'remove_table')
    return { ...definition, tableRef: null, readyRef: null, watchedRefs: [] }
  if (change.kind !== 'remove_column') return definition
  const { colRef } = change
  const { readyRef, watchedRefs } = definition
  if (readyRef !== colRef && !watchedRefs.includes(colRef)) return definition
  return {
    ...definition,
    readyRef: readyRef === colRef ? null : readyRef,
    watchedRefs: watchedRefs.filter((ref) => ref !== colRef),
  }
}

/** True when updates of rows can fire something for it: then it must know whole rows. */
export function heedsUpdates({ kinds, readyRef }: Definition): boolean {
  return kinds.includes('update') || readyRef !== null
}
