import { AppError } from '@sheaf/kit/errors'

/** Maximum number of rows named, and of tables and columns. */
const MAX_ROWS = 100
const MAX_PARTS = 20

/** The conflicts, as reported to clients. */
type Part =
  | { readonly tableId: string; readonly rowIds: readonly number[]; readonly rowCount: number }
  | { readonly tableId: string; readonly colId?: string }

/** Later changes that conflict with undoing a change. */
export class Conflicts {
  private readonly rows = new Map<string, Set<number>>()
  private readonly others = new Map<string, { readonly tableId: string; readonly colId?: string }>()

  constructor(private readonly seq: number) {}

  /** Records rows of a table. */
  addRows(tableId: string, rowIds: Iterable<number>): void {
    const known = this.rows.get(tableId) ?? new Set()
    for (const id of rowIds) known.add(id)
    if (known.size > 0) this.rows.set(tableId, known)
  }

  /** Records a column. */
  addColumn(tableId: string, colId: string): void {
    this.others.set(JSON.stringify([tableId, colId]), { tableId, colId })
  }

  /** Records a table. */
  addTable(tableId: string): void {
    this.others.set(tableId, { tableId })
  }

  /** True when there are no conflicts. */
  get none(): boolean {
    return this.rows.size + this.others.size === 0
  }

  /** Throws `conflict`, naming the conflicts, if there are any. */
  requireNone(): void {
    if (this.none) return
    const parts = this.parts()
    const named = parts.slice(0, 3).map(nameOf).join(', ')
    throw new AppError(
      'conflict',
      'CHANGED_SINCE',
      `change ${this.seq} cannot be undone, because later changes affect ${named}${parts.length > 3 ? ', …' : ''}`,
      { conflictsJson: JSON.stringify(parts) },
    )
  }

  private parts(): Part[] {
    let left = MAX_ROWS
    const rows = [...this.rows].map(([tableId, ids]) => {
      const rowIds = [...ids].sort((a, b) => a - b).slice(0, left)
      left -= rowIds.length
      return { tableId, rowIds, rowCount: ids.size }
    })
    return [...rows, ...this.others.values()].slice(0, MAX_PARTS)
  }
}

function nameOf(part: Part): string {
  const table = `table "${part.tableId}"`
  if ('rowCount' in part) {
    const shown = part.rowIds.slice(0, 10)
    const more = part.rowCount > shown.length ? ` and ${part.rowCount - shown.length} more` : ''
    return `${part.rowCount === 1 ? 'row' : 'rows'} ${shown.join(', ')}${more} of ${table}`
  }
  return part.colId === undefined ? table : `column "${part.colId}" of ${table}`
}
