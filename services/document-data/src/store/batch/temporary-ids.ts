import { AppError } from '@sheaf/kit/errors'
import type { Cell } from '../../values/column-type'
import type { DocumentWriter } from '../document'
import type { CellColumns } from '../records/conversion'
import type { Table } from '../schema/schema'
import type { RowName } from './operations'

const TEMPORARY_ID = /^\$[A-Za-z_]\w{0,63}$/

/** True for text that names a new row of a batch: `$` and an identifier of up to 64 characters. */
export function isTemporaryId(value: unknown): value is string {
  return typeof value === 'string' && TEMPORARY_ID.test(value)
}

/** The rows that a batch has added under temporary ids. */
export class TemporaryIds {
  private readonly rows = new Map<string, { readonly tableRef: number; readonly rowId: number }>()

  /** Row ids by temporary id. */
  get all(): Record<string, number> {
    return Object.fromEntries([...this.rows].map(([name, { rowId }]) => [name, rowId]))
  }

  add(name: string, table: Table, rowId: number): void {
    this.rows.set(name, { tableRef: table.ref, rowId })
  }

  /** The id of a row of this table. Throws AppError `invalid` for a temporary id that is no row of it. */
  resolve(doc: DocumentWriter, name: RowName, table: Table, path: string): number {
    if (typeof name === 'number') return name
    const row = this.rows.get(name)
    if (row?.tableRef === table.ref) return row.rowId
    const added = row && doc.schema.findByRef(row.tableRef)
    const reason = added
      ? `a row of table "${added.tableId}", not of "${table.tableId}"`
      : 'not the id of a row that an earlier operation adds'
    throw new AppError('invalid', 'INVALID_TEMP_ID', `${path}: "${name}" is ${reason}`, {
      path,
    })
  }

  /**
   * Replaces temporary ids by row ids in columns that refer to rows; in all other columns they are text.
   * @param pathOf location of a cell
   */
  resolveCells(
    doc: DocumentWriter,
    table: Table,
    cells: CellColumns,
    pathOf: (column: string, index: number) => string,
  ): CellColumns {
    return new Map(
      [...cells].map(([colId, list]) => {
        const target = targetOf(doc, table, colId)
        if (!target) return [colId, list]
        const resolve = (cell: Cell | undefined, index: number) =>
          this.resolveCell(cell, (name) => this.resolve(doc, name, target, pathOf(colId, index)))
        return [colId, list.map(resolve)]
      }),
    )
  }

  private resolveCell(cell: Cell | undefined, find: (name: string) => number): Cell | undefined {
    if (isTemporaryId(cell)) return find(cell)
    if (!Array.isArray(cell) || cell[0] !== 'L') return cell
    return cell.map((item: unknown) => (isTemporaryId(item) ? find(item) : item))
  }
}

/** The table whose rows a column refers to. */
function targetOf(doc: DocumentWriter, table: Table, colId: string): Table | undefined {
  const type = table.byId.get(colId)?.type
  const isReference = type?.name === 'Ref' || type?.name === 'RefList'
  return isReference && type.argument !== undefined ? doc.schema.find(type.argument) : undefined
}
