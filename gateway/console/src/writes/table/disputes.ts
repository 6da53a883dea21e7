import type { EnteredRow } from './cells-api'
import { isSameCell, joined, type CellOfRow } from './entered-rows'
import type { Dispute } from './writes-state'

/** The entered values of a table that the user has to decide about. */
export class Disputes {
  private disputes: readonly Dispute[] = []
  private last = 0

  /** All of them; another list after each change. */
  get all(): readonly Dispute[] {
    return this.disputes
  }

  /** Adds the cells of rows, whose `before` is what is stored. */
  addRows(rows: readonly EnteredRow[], error: unknown): void {
    const added = rows.flatMap(({ id: rowId, fields, before, colRefs, place }) =>
      Object.entries(fields).map(([colId, mine]) => {
        const cell = { rowId, colId, colRef: colRefs?.[colId], place }
        return { ...cell, mine, theirs: before[colId], error }
      }),
    )
    this.add(added)
  }

  /** Adds disputes, under ids of this table. */
  add(disputes: readonly Omit<Dispute, 'id'>[]): void {
    const added = disputes.map((dispute): Dispute => ({ ...dispute, id: ++this.last }))
    this.disputes = [...this.disputes, ...added]
  }

  /** Removes disputes by id, and returns them. */
  take(ids: readonly number[]): readonly Dispute[] {
    const taken = new Set(ids)
    const found = this.disputes.filter(({ id }) => taken.has(id))
    this.disputes = this.disputes.filter(({ id }) => !taken.has(id))
    return found
  }

  /** Returns the dispute about a cell, also after its column was renamed. */
  find(cell: CellOfRow): Dispute | undefined {
    return this.disputes.find((one) => isSameCell(one, cell))
  }

  /** Replaces the entered value of a dispute. */
  enter(dispute: Dispute, mine: unknown): void {
    this.disputes = this.disputes.map((one) => (one === dispute ? { ...one, mine } : one))
  }
}

/** Returns the cells of disputes as rows, joined with those that were refused for the same error. */
export function rowsByError(disputes: readonly Dispute[]): Map<unknown, EnteredRow[]> {
  const rows = new Map<unknown, EnteredRow[]>()
  for (const { rowId, colId, colRef, place, mine, theirs, error } of disputes) {
    const colRefs = colRef === undefined ? {} : { [colId]: colRef }
    const cell = { fields: { [colId]: mine }, before: { [colId]: theirs }, colRefs }
    rows.set(error, [...(rows.get(error) ?? []), { id: rowId, place, ...cell }])
  }
  return new Map([...rows].map(([error, cells]) => [error, joined(cells)]))
}
