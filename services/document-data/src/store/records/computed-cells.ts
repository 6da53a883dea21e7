import type { DocumentWriter } from '../document'
import type { Column } from '../schema/schema'
import { NextGroup } from '../sqlite/write-group'
import { isComputed } from '../structure/column-cells'

/** Must precede reading cells of these columns within a write: formulas have to be computed for all earlier writes. */
export function requireComputed(
  { isBehind }: DocumentWriter,
  columns: Iterable<Column | undefined>,
): void {
  if (isBehind && [...columns].some((column) => column && isComputed(column))) throw new NextGroup()
}
