import { useCallback, useEffect, useMemo, useState, useSyncExternalStore } from 'react'
import type { Column } from '../../api/resources'
import { useToaster } from '../../components/toast'
import { useDocumentContext } from '../../document-context/document-context'
import { plainArrangement, shownIds, type Arrangement } from './arrangement'
import { keptArrangements } from './kept-arrangements'
import { readStored, toStored } from './stored-arrangement'

/** The arrangement of a table, and what changes it. */
export interface TableArrangement {
  readonly arrangement: Arrangement
  /** The columns that are not hidden, in their order. The same array while these are the same. */
  readonly shown: readonly Column[]
  /** False for a table as it is without arrangement. */
  readonly isArranged: boolean
  /** Changes the arrangement to what a function makes of it. */
  readonly change: (to: (arrangement: Arrangement) => Arrangement) => void
  /** Removes the arrangement. */
  readonly reset: () => void
}

/** An arrangement, and where changes of it are kept. */
export interface ArrangementPlace {
  readonly arrangement: Arrangement
  /** True if something is kept, so that it can be reset. */
  readonly isArranged: boolean
  /** Keeps an arrangement; null to reset it. */
  readonly keep: (next: Arrangement | null) => void
}

/**
 * The arrangement of a table for the user of this page, who keeps it. At a former moment it begins as it is now, and changes
 * are not kept, since the table may have had other columns.
 */
export function useOwnArrangement(tableId: string, columns: readonly Column[]): ArrangementPlace {
  const { docId, document, tables, asOf } = useDocumentContext()
  const tableRef = tables.find(({ id }) => id === tableId)?.fields.tableRef ?? 0
  const [past, setPast] = useState<unknown>()
  const kept = useSyncExternalStore(keptArrangements.watch, () =>
    keptArrangements.find(docId, tableRef),
  )
  const read = tablesOf(document.preferences)[tableRef]
  const stored = past ?? (kept === undefined ? read : kept)
  const found = useMemo(() => readStored(stored, columns), [stored, columns])
  const arrangement = useMemo(
    () => found ?? plainArrangement(columns.map(({ id }) => id)),
    [found, columns],
  )
  useSending()
  const isPast = asOf !== undefined
  const keep = useCallback(
    (next: Arrangement | null) => {
      const value = next && toStored(next, columns)
      if (isPast) setPast(value ?? {})
      else keptArrangements.keep(docId, tableRef, value)
    },
    [isPast, docId, tableRef, columns],
  )
  const isArranged = found !== undefined
  return useMemo(() => ({ arrangement, isArranged, keep }), [arrangement, isArranged, keep])
}

/** The arrangement of a table as kept in a place. */
export function useTableArrangement(
  { arrangement, isArranged, keep }: ArrangementPlace,
  columns: readonly Column[],
): TableArrangement {
  const order = JSON.stringify(shownIds(arrangement))
  const shown = useMemo(() => {
    const byId = new Map(columns.map((column) => [column.id, column]))
    return (JSON.parse(order) as string[]).flatMap((id) => byId.get(id) ?? [])
  }, [order, columns])
  return useMemo<TableArrangement>(
    () => ({
      arrangement,
      shown,
      isArranged,
      change(to) {
        const next = to(arrangement)
        if (next !== arrangement) keep(next)
      },
      reset: () => keep(null),
    }),
    [arrangement, shown, isArranged, keep],
  )
}

/** Sends what is not stored when the page is left, and shows what prevents that. */
function useSending(): void {
  const toaster = useToaster()
  useEffect(() => {
    keptArrangements.onFailure = toaster.showError
    const leave = () => void keptArrangements.leave()
    window.addEventListener('pagehide', leave)
    return () => window.removeEventListener('pagehide', leave)
  }, [toaster])
}

function tablesOf(preferences: Readonly<Record<string, unknown>> | undefined) {
  const tables = preferences?.tables
  return typeof tables === 'object' && tables !== null ? (tables as Record<number, unknown>) : {}
}
