import type { SchemaChange } from '@sheaf/protos/sheaf/events/v1/changes'

/** Kinds of events that a webhook can select. */
export type EventKind = 'add' | 'update' | 'remove'

/** The properties of a webhook that decide which events it receives. Tables and columns are given by refs. */
export interface Definition {
  readonly id: string
  readonly kinds: readonly EventKind[]
  /** Null when the table was deleted: no event fires. */
  readonly tableRef: number | null
  /** Column whose cell must be true; null when every row counts. */
  readonly readyRef: number | null
  /** Columns of which one must change for an update; empty for any column. */
  readonly watchedRefs: readonly number[]
}

/**
 * Returns the definition after a change of tables or columns: the same object unless something it refers to
 * was deleted. Renames do not affect it, and an undone deletion does not restore it.
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

/** True when row updates can fire events for it, which requires whole rows. */
export function needsRowState({ kinds, readyRef }: Definition): boolean {
  return kinds.includes('update') || readyRef !== null
}
