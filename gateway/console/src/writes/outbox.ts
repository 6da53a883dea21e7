import { useSyncExternalStore } from 'react'
import { cellsApi } from './cells-api'
import { TableWrites } from './table-writes'
import type { Dispute, UnsavedCell } from './writes-state'

/** A cell of one of the tables that is not stored. */
export interface UnsavedTableCell extends UnsavedCell {
  readonly docId: string
  readonly tableId: string
}

/** An undecided value of a table. */
export interface TableDispute extends Dispute, UnsavedTableCell {}

/** What is entered in the console and not stored. */
export interface OutboxState {
  /** Number of cells that are being sent or wait. */
  readonly unsaved: number
  /** Number of cells that wait for the server to answer. */
  readonly waiting: number
  readonly disputes: readonly TableDispute[]
}

interface Table {
  readonly docId: string
  readonly tableId: string
  readonly writes: TableWrites
}

/**
 * The writes of all tables. They go on after the user has left the table. While there are any, the browser asks before it closes
 * the page.
 */
class Outbox {
  private readonly tables = new Map<string, Table>()
  private readonly listeners = new Set<() => void>()
  private state: OutboxState = { unsaved: 0, waiting: 0, disputes: [] }

  /** Returns the writes of a table, the same each time. */
  writesOf(docId: string, tableId: string): TableWrites {
    const key = JSON.stringify([docId, tableId])
    const known = this.tables.get(key)
    if (known) return known.writes
    const writes = new TableWrites(cellsApi(docId, tableId), () => this.update())
    this.tables.set(key, { docId, tableId, writes })
    return writes
  }

  /** The current state. With `watchState`, the arguments of `useSyncExternalStore`. */
  readonly readState = (): OutboxState => this.state

  /** Calls back when the state changes. Returns a function that unsubscribes. */
  readonly watchState = (listener: () => void): (() => void) => {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  /** Sends what waits now. */
  retry(): void {
    for (const { writes } of this.tables.values()) writes.retry()
  }

  /** Returns the cells that wait for the server, as many as the limit permits. */
  listWaiting(limit: number): UnsavedTableCell[] {
    const found: UnsavedTableCell[] = []
    for (const { docId, tableId, writes } of this.tables.values())
      for (const cell of writes.listWaiting(limit - found.length))
        found.push({ ...cell, docId, tableId })
    return found
  }

  /** Drops one of the cells that wait for the server, or all of them, as `TableWrites.discard` does. */
  discard(cell?: UnsavedTableCell): void {
    for (const { docId, tableId, writes } of this.tables.values())
      if (!cell || (cell.docId === docId && cell.tableId === tableId)) writes.discard(cell)
  }

  /** Decides about several undecided values, as `TableWrites.decide` does. */
  decide(disputes: readonly TableDispute[], choice: 'mine' | 'theirs'): void {
    for (const { docId, tableId, writes } of this.tables.values()) {
      const own = disputes.filter((one) => one.docId === docId && one.tableId === tableId)
      if (own.length > 0)
        writes.decide(
          own.map(({ id }) => id),
          choice,
        )
    }
  }

  private update(): void {
    const tables = [...this.tables.values()].map((table) => ({
      ...table,
      state: table.writes.state,
    }))
    const sum = (of: 'unsaved' | 'waiting') =>
      tables.reduce((total, { state }) => total + state[of], 0)
    const disputes = tables.flatMap(({ docId, tableId, state }) =>
      state.disputes.map((dispute): TableDispute => ({ ...dispute, docId, tableId })),
    )
    this.state = { unsaved: sum('unsaved'), waiting: sum('waiting'), disputes }
    // Here, and not in a component: the pages may be gone, such as after the session has ended.
    if (this.state.unsaved > 0 || disputes.length > 0)
      window.addEventListener('beforeunload', askBefore)
    else window.removeEventListener('beforeunload', askBefore)
    for (const listener of this.listeners) listener()
  }
}

/** Makes the browser ask before it closes the page. */
const askBefore = (event: BeforeUnloadEvent): void => event.preventDefault()

/** The outbox of this page. */
export const outbox = new Outbox()

/** Returns the number of entered values that are not stored. */
export function useUnsaved(): number {
  const { unsaved, disputes } = useSyncExternalStore(outbox.watchState, outbox.readState)
  return unsaved + disputes.length
}
