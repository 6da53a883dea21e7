import type { Row } from '../../api/resources'
import type { RowChange } from './cells-api'

interface EnteredCell<Write> {
  readonly value: unknown
  /** The write that sends the value; undefined for a disputed one. */
  readonly write: Write | undefined
}

/** The values that are shown in place of what is stored. */
export class EnteredCells<Write> {
  private readonly rows = new Map<number, Map<string, EnteredCell<Write>>>()

  /** Ids of the rows with entered values. */
  get rowIds(): readonly number[] {
    return [...this.rows.keys()]
  }

  /** Number of values that a write sends. */
  get unsaved(): number {
    const cells = [...this.rows.values()].flatMap((row) => [...row.values()])
    return cells.filter(({ write }) => write !== undefined).length
  }

  /** Returns values that writes send, as many as the limit permits. */
  list(limit: number): { rowId: number; colId: string; value: unknown; write: Write }[] {
    const found: { rowId: number; colId: string; value: unknown; write: Write }[] = []
    for (const [rowId, cells] of this.rows)
      for (const [colId, { value, write }] of cells) {
        if (found.length === limit) return found
        if (write !== undefined) found.push({ rowId, colId, value, write })
      }
    return found
  }

  /** Returns a stored row with the values that were entered in it. */
  show(row: Row): Row {
    const cells = this.rows.get(row.id)
    if (!cells) return row
    const entered = [...cells].map(([colId, { value }]) => [colId, value])
    return { ...row, fields: { ...row.fields, ...(Object.fromEntries(entered) as Row['fields']) } }
  }

  /** Returns the value of a cell; undefined for one that shows what is stored. */
  get(rowId: number, colId: string): EnteredCell<Write> | undefined {
    return this.rows.get(rowId)?.get(colId)
  }

  /** Shows a value. */
  set(rowId: number, colId: string, cell: EnteredCell<Write>): void {
    const cells = this.rows.get(rowId) ?? new Map<string, EnteredCell<Write>>()
    this.rows.set(rowId, cells.set(colId, cell))
  }

  /** Shows the values of rows in those of their cells that show what is stored. */
  setMissing(rows: readonly RowChange[], write: Write | undefined): void {
    for (const { id, fields } of rows)
      for (const [colId, value] of Object.entries(fields))
        if (!this.get(id, colId)) this.set(id, colId, { value, write })
  }

  /** Shows what is stored. */
  drop(rowId: number, colId: string): void {
    const cells = this.rows.get(rowId)
    cells?.delete(colId)
    if (cells?.size === 0) this.rows.delete(rowId)
  }

  /** Returns the cells of rows that this write was the last to enter. */
  lastEnteredBy<Entered extends RowChange>(write: Write, rows: readonly Entered[]): Entered[] {
    return rows.flatMap((row) => {
      const own = Object.entries(row.fields).filter(
        ([colId]) => this.get(row.id, colId)?.write === write,
      )
      return own.length === 0 ? [] : [{ ...row, fields: Object.fromEntries(own) }]
    })
  }
}
