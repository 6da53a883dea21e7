import type { PreviewedColumn } from '@sheaf/client'
import type { Column } from '../api/resources'
import { isComputed } from '../formats/column'

/** Where the cells of a column of a file go: to a column of the table, to a new one, or nowhere. */
export type Destination = { readonly to: string } | 'new' | 'none'

/** The destinations that were chosen, by column of the file. */
export type ColumnMapping = Readonly<Record<string, Destination>>

/**
 * Returns the destination of each column of a file: the chosen one, otherwise the column of the table with the same id or
 * label, or a new one.
 */
export function destinationsOf(
  columns: readonly PreviewedColumn[] = [],
  targets: readonly Column[] = [],
  chosen: ColumnMapping = {},
): ReadonlyMap<string, Destination> {
  const used = new Set(
    Object.values(chosen).flatMap((to) => (typeof to === 'object' ? [to.to] : [])),
  )
  const found = new Map<string, Destination>()
  for (const { id, fields } of columns) {
    const free = targets.filter((target) => !isComputed(target) && !used.has(target.id))
    const match =
      free.find((target) => fold(target.id) === fold(id)) ??
      free.find((target) => fields.label !== '' && fold(target.fields.label) === fold(fields.label))
    const detected: Destination = match ? { to: match.id } : 'new'
    const destination = chosen[id] ?? detected
    if (typeof destination === 'object') used.add(destination.to)
    found.set(id, destination)
  }
  return found
}

/** Returns the mapping as the API takes it: new columns are absent, and null is nowhere. */
export function mappingOf(
  destinations: ReadonlyMap<string, Destination>,
): Record<string, string | null> {
  const mapping: Record<string, string | null> = {}
  for (const [id, destination] of destinations)
    if (destination !== 'new') mapping[id] = destination === 'none' ? null : destination.to
  return mapping
}

const fold = (text: string) => text.trim().toLowerCase()
