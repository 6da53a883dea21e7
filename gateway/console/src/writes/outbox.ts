import { useSyncExternalStore } from 'react'
import type { UnsavedCount } from '../session/session-provider'
import { cellsApi, type TableAddress } from './table/cells-api'
import type { KeyedEntry } from './storage/entry-database'
import type { OutboxEntry } from './storage/kept-entries'
import { OutboxStorage } from './storage/outbox-storage'
import { fromStored } from './storage/stored-entry'
import { TableWrites } from './table/table-writes'
import { byDocument, byTable, type UnsavedDocument } from './unsaved-documents'
import type { Dispute, UnsavedCell } from './table/writes-state'

/** A cell of one of the tables that is not stored. */
export interface UnsavedTableCell extends UnsavedCell {
  readonly docId: string
  readonly docName: string
  /** Stays the same when the table is renamed; undefined if it is not known. */
  readonly tableRef: number | undefined
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
  /** The documents with cells that wait or are disputed. */
  readonly documents: readonly UnsavedDocument[]
  /** False if values are lost when the page is closed. */
  readonly isKept: boolean
}

/** A table whose writes are asked for. */
export interface OpenedTable extends Readonly<TableAddress> {
  readonly docName: string
}

interface Table {
  readonly address: TableAddress
  readonly writes: TableWrites
  docName: string
}

/**
 * The writes of all tables. They go on after the user has left the table, and are stored in the browser for the case that the page is
 * closed. While there are any, the browser asks before it closes the page.
 */
class Outbox {
  private readonly tables = new Map<string, Table>()
  private readonly listeners = new Set<() => void>()
  private state: OutboxState = {
    unsaved: 0,
    waiting: 0,
    disputes: [],
    documents: [],
    isKept: true,
  }
  private isKept = true
  private readonly storage = new OutboxStorage({
    listEntries: () => this.listEntries(),
    restore: (left) => this.restore(left),
    onKept: (isKept) => {
      if (isKept === this.isKept) return
      this.isKept = isKept
      this.publish()
    },
  })

  /** Stores what is not saved for the signed-in user, and goes on with what earlier pages have left. */
  keepFor(userId: number): void {
    void this.storage.start(userId)
  }

  /** Discards all values, and deletes what the browser has of the user. */
  async forget(): Promise<void> {
    this.discard()
    this.decide(this.state.disputes, 'theirs')
    await this.storage.forget()
  }

  /** Returns the number of cells that are not saved in other pages of the user, as far as these have stored them. */
  countElsewhere(): Promise<number> {
    return this.storage.countElsewhere()
  }

  /** Returns the writes of a table, the same each time, also after it was renamed. */
  writesOf(table: OpenedTable): TableWrites {
    return this.tableOf(table).writes
  }

  /** Takes over the present names of a table and its document. */
  follow(table: OpenedTable): void {
    const known = this.tableOf(table)
    const { address, writes } = known
    if (known.docName === table.docName && address.tableId === table.tableId) return
    known.docName = table.docName
    if (address.tableId !== table.tableId) {
      address.tableId = table.tableId
      writes.renamed()
    }
    this.update()
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
    for (const table of this.tables.values())
      for (const cell of table.writes.listWaiting(limit - found.length))
        found.push({ ...cell, ...namesOf(table) })
    return found
  }

  /** Drops one of the cells that wait for the server, or all of them, as `TableWrites.discard` does. */
  discard(cell?: UnsavedTableCell): void {
    for (const table of this.tables.values())
      if (!cell || isTableOf(table, cell)) table.writes.discard(cell)
  }

  /** Decides about several undecided values, as `TableWrites.decide` does. */
  decide(disputes: readonly TableDispute[], choice: 'mine' | 'theirs'): void {
    for (const table of this.tables.values()) {
      const own = disputes.filter((one) => isTableOf(table, one))
      if (own.length > 0)
        table.writes.decide(
          own.map(({ id }) => id),
          choice,
        )
    }
  }

  private tableOf({ docName, ...address }: OpenedTable): Table {
    const { docId, tableRef, tableId } = address
    const key = JSON.stringify([docId, tableRef ?? tableId])
    const known = this.tables.get(key)
    if (known) return known
    const own: TableAddress = { docId, tableRef, tableId }
    const writes = new TableWrites(cellsApi(own), () => this.update())
    const table: Table = { address: own, docName, writes }
    this.tables.set(key, table)
    return table
  }

  private listEntries(): OutboxEntry[] {
    return [...this.tables.values()].flatMap(({ address, docName, writes }) => {
      const { docId, tableRef, tableId } = address
      const place = { docId, table: tableRef ?? tableId, name: { docName, tableId } }
      return writes.entries.map((entry) => ({ ...place, entry }))
    })
  }

  private restore(left: readonly KeyedEntry[]): void {
    for (const [[, , docId, table], stored] of byTable(left)) {
      const { docName, tableId } = stored[0]
      const tableRef = typeof table === 'number' ? table : undefined
      const { address, writes } = this.tableOf({ docId, docName, tableId, tableRef })
      writes.restore(fromStored(stored))
      if (address.tableId !== tableId) writes.renamed()
    }
  }

  private update(): void {
    this.publish()
    this.storage.update()
  }

  private publish(): void {
    const tables = [...this.tables.values()].map((table) => ({
      ...namesOf(table),
      state: table.writes.state,
    }))
    const sum = (of: 'unsaved' | 'waiting') =>
      tables.reduce((total, { state }) => total + state[of], 0)
    const disputes = tables.flatMap(({ state, ...names }) =>
      state.disputes.map((dispute): TableDispute => ({ ...dispute, ...names })),
    )
    const counts = tables.map(({ state, ...names }) => ({
      ...names,
      cells: state.waiting + state.disputes.length,
    }))
    const { isKept } = this
    const documents = byDocument(counts)
    this.state = { unsaved: sum('unsaved'), waiting: sum('waiting'), disputes, documents, isKept }
    // Here, and not in a component: the pages may be gone, such as after the session has ended.
    if (this.state.unsaved > 0 || disputes.length > 0)
      window.addEventListener('beforeunload', askBefore)
    else window.removeEventListener('beforeunload', askBefore)
    for (const listener of this.listeners) listener()
  }
}

const namesOf = ({ address, docName }: Table) => ({
  docId: address.docId,
  tableRef: address.tableRef,
  tableId: address.tableId,
  docName,
})

/** True if a cell is of a table. One that was deleted and another one can have the same id. */
const isTableOf = ({ address }: Table, { docId, tableRef, tableId }: UnsavedTableCell): boolean =>
  address.docId === docId &&
  address.tableRef === tableRef &&
  (tableRef !== undefined || address.tableId === tableId)

/** Makes the browser ask before it closes the page. */
const askBefore = (event: BeforeUnloadEvent): void => event.preventDefault()
const leaveUnasked = (): void => window.removeEventListener('beforeunload', askBefore)
const countCells = (): number => unsavedCells(outbox.readState())

/** The outbox of this page. */
export const outbox = new Outbox()

/** Returns the number of entered values that are not stored. */
export const unsavedCells = ({ unsaved, disputes }: OutboxState): number =>
  unsaved + disputes.length

/** Returns the number of entered values that are not stored, and whether they are lost when the page is closed. */
export function useUnsaved(): UnsavedCount {
  const state = useSyncExternalStore(outbox.watchState, outbox.readState)
  return { cells: unsavedCells(state), isKept: state.isKept, countCells, leaveUnasked }
}
