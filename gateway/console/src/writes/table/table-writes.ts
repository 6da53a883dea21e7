import type { Row } from '../../api/resources'
import type {
  CellsApi,
  EnteredRow,
  PresentTable,
  RowChange,
  StoredRows,
  TableColumn,
} from './cells-api'
import { splitDisputed, splitStored } from './disputed-cells'
import { Disputes, rowsByError } from './disputes'
import { EnteredCells } from './entered-cells'
import { takeCells, toRecord, type CellOfRow } from './entered-rows'
import { followColumns } from './follow-columns'
import {
  isObsolete,
  newWrite,
  rebaseLater,
  renew,
  replaceRows,
  restoreWrite,
  takeLater,
  toEntry,
  type PendingWrite,
  type WriteState,
} from './pending-write'
import { readBack, readRows } from './read-back'
import { RetryPause } from './retry-pause'
import type { TableEntry, WriteEntry } from './table-entry'
import { goneError, isAway, isCellChanged, isLater, isUnknownName } from './write-errors'
import type { TableView } from './table-view'
import type { CellState, UnsavedCell, WritesState } from './writes-state'

/** A write that takes longer than this is shown as one that waits. In milliseconds. */
const LATE_MS = 3_000
/** How often a write is sent again with the values that were read after it was refused for others. */
const MAX_ROUNDS = 3
/** How often the server may fail to make a change before the next ones go first. */
const MAX_FAILURES = 6

/** An attempt that is to be repeated. */
type Failure = { readonly error: unknown } | undefined

/**
 * Writes the cells of a table, one write after the other, so that the last edit wins. Entered values are shown at once, and kept
 * until they are stored or the user has decided: while the server cannot be reached, or the user is signed out, they are sent
 * again. A cell that somebody else has changed in the meantime is not overwritten. A change that the server repeatedly fails to
 * make, though it answers, is set aside for the user to decide. Cells follow their table and columns when these are renamed, and are
 * set aside when they were deleted.
 */
export class TableWrites {
  private queue: PendingWrite[] = []
  private readonly disputes = new Disputes()
  private readonly entered = new EnteredCells<PendingWrite>()
  private readonly views = new Set<TableView>()
  private readonly pause = new RetryPause()
  private isRunning = false
  private isWaiting = false
  private lastWrite = 0
  private lastPage = 0

  /** @param onState called when the state changes */
  constructor(
    private readonly api: CellsApi,
    private readonly onState: () => void,
  ) {}

  /** Attaches a view. Returns a function that detaches it. */
  attach(view: TableView): () => void {
    this.views.add(view)
    return () => this.views.delete(view)
  }

  /** The current state. */
  get state(): WritesState {
    const { unsaved } = this.entered
    return { unsaved, waiting: this.isWaiting ? unsaved : 0, disputes: this.disputes.all }
  }

  /** What another page needs to go on, should this one be closed: see `restore`. */
  get entries(): readonly TableEntry[] {
    const writes = this.queue.filter(({ rows }) => rows.length > 0)
    return [
      ...writes.map(toEntry),
      ...this.disputes.all.map((dispute) => ({ id: `d${dispute.id}`, dispute })),
    ]
  }

  /** Goes on with the entries of an earlier page, before what was entered in this one. */
  restore(entries: readonly TableEntry[]): void {
    const pages = new Map<number | undefined, number>()
    const pageOf = ({ leftBy }: WriteEntry) => {
      const page = pages.get(leftBy) ?? ++this.lastPage
      pages.set(leftBy, page)
      return page
    }
    const writes = entries.flatMap((entry) =>
      'rows' in entry ? [restoreWrite(++this.lastWrite, entry, pageOf(entry))] : [],
    )
    const disputes = entries.flatMap((entry) => ('dispute' in entry ? [entry.dispute] : []))
    this.queue.splice(this.isRunning ? 1 : 0, 0, ...writes)
    // The last one of each cell is shown.
    for (const write of writes.toReversed()) this.entered.setMissing(write.rows, write)
    for (const { rowId, colId, mine } of disputes)
      this.entered.setMissing([{ id: rowId, fields: { [colId]: mine } }], undefined)
    this.disputes.add(disputes)
    if (writes.length > 0) this.isWaiting = true
    this.changed(this.entered.rowIds.map((id) => ({ id })))
    void this.run()
  }

  /** The table was renamed: what waits is sent to its new id, as other requests. */
  renamed(): void {
    for (const write of this.queue) renew(write)
  }

  /** Returns a stored row with the values that were entered in it. */
  readonly show = (row: Row): Row => this.entered.show(row)

  /** Returns the state of an entered value; undefined for a cell that shows what is stored. */
  readonly stateOf = (rowId: number, colId: string): CellState | undefined => {
    const cell = this.entered.get(rowId, colId)
    if (!cell) return undefined
    if (!cell.write) return 'disputed'
    return this.isWaiting ? 'waiting' : 'sending'
  }

  /**
   * Writes cells, after all earlier writes. Resolves when they are stored, disputed or discarded, to the position of the change in
   * the log; undefined if nothing changed. Rejects, and shows what is stored, if the server refuses them at once.
   */
  write(entered: readonly EnteredRow[]): Promise<number | undefined> {
    const rows = entered.flatMap((row) => this.withoutDisputed(row))
    const done = this.send(rows, { failures: 0, hasWaited: false, isUnchecked: false })
    this.changed(entered)
    return done
  }

  /** Sends what waits now. */
  retry(): void {
    this.pause.end()
  }

  /** Returns the cells that wait for the server, as many as the limit permits. */
  listWaiting(limit: number): UnsavedCell[] {
    if (!this.isWaiting) return []
    return this.entered.list(limit).flatMap(({ rowId, colId, value, write }) => {
      const row = write.rows.find(({ id }) => id === rowId)
      return row
        ? [{ rowId, colId, colRef: row.colRefs?.[colId], place: row.place, mine: value }]
        : []
    })
  }

  /** Drops one of the cells that wait, or all of them. A value that is being sent may be stored nevertheless. */
  discard(cell?: CellOfRow): void {
    const isIt = ({ id }: EnteredRow, colId: string) =>
      !cell || (cell.rowId === id && cell.colId === colId)
    for (const write of this.queue) {
      const { taken, kept } = takeCells(write.rows, isIt)
      if (taken.length === 0) continue
      replaceRows(write, kept)
      for (const { id, fields } of taken)
        for (const colId of Object.keys(fields)) this.entered.drop(id, colId)
      this.changed(taken)
    }
    this.pause.end()
  }

  /**
   * Decides about entered values: `mine` sends them again, to replace the stored ones; `theirs` drops them. Values that were refused
   * together are sent together.
   */
  decide(ids: readonly number[], choice: 'mine' | 'theirs'): void {
    const disputes = this.disputes.take(ids)
    for (const { rowId, colId } of disputes) this.entered.drop(rowId, colId)
    if (choice === 'mine')
      for (const [error, rows] of rowsByError(disputes)) {
        // The user has seen that it failed, and waits for one answer.
        const failures = error === undefined ? 0 : MAX_FAILURES - 1
        void this.send(rows, { failures, hasWaited: true, isUnchecked: true })
      }
    this.changed(disputes.map(({ rowId }) => ({ id: rowId })))
  }

  private send(rows: EnteredRow[], state: WriteState): Promise<number | undefined> {
    const done = new Promise<number | undefined>((resolve, reject) => {
      const write = newWrite({ ...state, id: ++this.lastWrite, rows, resolve, reject })
      for (const { id, fields } of rows)
        for (const [colId, value] of Object.entries(fields))
          this.entered.set(id, colId, { value, write })
      this.queue.push(write)
    })
    void this.run()
    return done
  }

  /** What is entered in a cell that somebody else has changed takes part in the dispute; a value that failed is replaced. */
  private withoutDisputed(row: EnteredRow): EnteredRow[] {
    const fields = { ...row.fields }
    const before = { ...row.before }
    for (const [colId, mine] of Object.entries(row.fields)) {
      const cell = { rowId: row.id, colId, colRef: row.colRefs?.[colId] }
      const dispute = this.disputes.find(cell)
      if (!dispute) continue
      if (dispute.error !== undefined) {
        this.disputes.take([dispute.id])
        this.entered.drop(row.id, dispute.colId)
        if (dispute.theirs !== undefined) before[colId] = dispute.theirs
        continue
      }
      this.disputes.enter(dispute, mine)
      this.entered.set(row.id, dispute.colId, { value: mine, write: undefined })
      delete fields[colId]
    }
    return Object.keys(fields).length === 0 ? [] : [{ ...row, fields, before }]
  }

  private changed(rows: readonly Pick<RowChange, 'id'>[]): void {
    for (const view of this.views) view.redraw(rows.map(({ id }) => id))
    this.onState()
  }

  private setWaiting(isWaiting: boolean): void {
    if (isWaiting === this.isWaiting) return
    this.isWaiting = isWaiting
    this.changed(this.entered.rowIds.map((id) => ({ id })))
  }

  private async run(): Promise<void> {
    if (this.isRunning) return
    this.isRunning = true
    for (let write = this.queue[0]; write; write = this.queue[0]) {
      const late = setTimeout(() => this.setWaiting(true), LATE_MS)
      const failure = await this.attempt(write)
      clearTimeout(late)
      // A write without cells says nothing of the server.
      if (write.rows.length > 0) this.setWaiting(failure !== undefined)
      if (!failure) this.pause.reset()
      else await this.pause.begin(failure.error)
    }
    this.setWaiting(false)
    this.isRunning = false
  }

  private async attempt(write: PendingWrite): Promise<Failure> {
    if (write.isUnchecked) {
      const failure = await this.follow(write)
      if (failure || write.isUnchecked) return failure
    }
    const { rows, key } = write
    if (rows.length === 0) return this.end(write, () => write.resolve(undefined))
    write.records ??= rows.map(toRecord)
    let seq: number | undefined
    try {
      seq = await this.api.change(write.records, key)
    } catch (error) {
      if (isObsolete(write, key, error)) return undefined
      if (isLater(error)) return this.postpone(write, error)
      if (isCellChanged(error)) return this.compare(write, error)
      return isUnknownName(error) ? this.follow(write, error) : this.refuse(write, error)
    }
    this.settle(write, rows, await readBack(this.api, rows))
    return this.end(write, () => write.resolve(seq))
  }

  /** Repeats a change, unless it has failed often and the server is not away, but answers. */
  private async postpone(write: PendingWrite, error: unknown): Promise<Failure> {
    write.hasWaited = true
    write.isUnchecked = true
    if (!isAway(error)) write.failures++
    const [row] = write.rows
    if (write.failures < MAX_FAILURES || !row) return { error }
    try {
      await this.api.readRows([row.id])
    } catch (failure) {
      write.failures = 0
      if (isLater(failure)) return { error }
    }
    return this.refuse(write, error)
  }

  /** Shows what is stored. */
  private settle(
    write: PendingWrite,
    sent: readonly EnteredRow[],
    read: StoredRows | undefined,
  ): void {
    rebaseLater(this.queue, write, { sent, read })
    for (const view of this.views) {
      if (read) view.store(read)
      else view.assume(sent)
    }
  }

  private end(write: PendingWrite, settle: () => void): undefined {
    this.queue = this.queue.filter((one) => one !== write)
    for (const { id, fields } of this.entered.lastEnteredBy(write, write.rows))
      for (const colId of Object.keys(fields)) this.entered.drop(id, colId)
    this.changed(write.rows)
    settle()
  }

  private async refuse(write: PendingWrite, error: unknown): Promise<undefined> {
    const read = await readBack(this.api, write.rows)
    if (read) for (const view of this.views) view.store(read)
    // A change that failed may have been made all the same.
    const { stored, others } = splitStored(write.rows, read?.rows ?? [])
    rebaseLater(this.queue, write, { sent: stored, read })
    const lost = this.entered.lastEnteredBy(write, others)
    if (!write.hasWaited) return this.end(write, () => write.reject(error))
    // The user has gone on since, and must not lose what was entered.
    this.end(write, () => write.resolve(undefined))
    this.dispute(lost, error)
  }

  /**
   * Sends cells of a renamed table or renamed columns under their new names. Those of deleted ones are for the user to decide.
   * Without an error, the write is checked before it is sent.
   */
  private async follow(write: PendingWrite, error?: unknown): Promise<Failure> {
    if (error !== undefined && write.rounds >= MAX_ROUNDS) return this.refuse(write, error)
    const { key } = write
    let table: PresentTable | undefined
    try {
      table = await this.api.readTable()
    } catch (failure) {
      return isLater(failure) ? this.postpone(write, failure) : this.refuse(write, failure)
    }
    if (table?.isRenamed) this.renamed()
    // Its page may have noticed that first, while the table was read: the write is another request since.
    const isRenamed = key !== write.key
    if (table) return this.followIn({ ...table, isRenamed }, write, error)
    write.hasWaited = true
    return this.refuse(write, error ?? goneError('table'))
  }

  private followIn(
    table: PresentTable,
    write: PendingWrite,
    error: unknown,
  ): Promise<Failure> | undefined {
    const { rows, gone, isRenamed } = followColumns(write.rows, table.columns)
    const isFound = !isRenamed && gone.length === 0
    if (isFound && !table.isRenamed && error !== undefined) return this.refuse(write, error)
    write.isUnchecked = false
    if (isFound) return undefined
    write.rounds++
    const last = this.entered.lastEnteredBy(write, write.rows)
    replaceRows(write, rows)
    this.move(write, last, table.columns)
    this.dispute(followColumns(last, table.columns).gone, error ?? goneError('column'))
    return undefined
  }

  /** Shows the entered values of a write in the columns of their present ids, unless others were entered there since. */
  private move(
    write: PendingWrite,
    from: readonly EnteredRow[],
    columns: readonly TableColumn[],
  ): void {
    for (const { id, fields } of from)
      for (const colId of Object.keys(fields)) this.entered.drop(id, colId)
    for (const { id, fields } of followColumns(from, columns).rows)
      for (const [colId, value] of Object.entries(fields))
        if (!this.entered.get(id, colId)) this.entered.set(id, colId, { value, write })
    this.changed(from)
  }

  /** Finds the cells that somebody else has changed; the others are sent again. */
  private async compare(write: PendingWrite, error: unknown): Promise<Failure> {
    if (write.rounds >= MAX_ROUNDS) return this.refuse(write, error)
    let read: StoredRows
    try {
      read = await readRows(
        this.api,
        write.rows.map(({ id }) => id),
      )
    } catch (failure) {
      return isLater(failure) ? this.postpone(write, failure) : this.refuse(write, failure)
    }
    write.rounds++
    for (const view of this.views) view.store(read)
    const { disputed, others } = splitDisputed(write.rows, read.rows)
    replaceRows(write, others)
    this.dispute(disputed.map((row) => takeLater(this.queue, write, row)))
    return undefined
  }

  private dispute(rows: readonly EnteredRow[], error?: unknown): void {
    for (const { id, fields } of rows)
      for (const [colId, value] of Object.entries(fields))
        this.entered.set(id, colId, { value, write: undefined })
    this.disputes.addRows(rows, error)
    this.changed(rows)
  }
}
