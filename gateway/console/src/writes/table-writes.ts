import { createIdempotencyKey } from '@sheaf/client'
import type { Row } from '../api/resources'
import type {
  CellsApi,
  EnteredRow,
  ExpectedChange,
  RowChange,
  StoredRows,
  TableColumn,
} from './cells-api'
import { splitDisputed, splitStored } from './disputed-cells'
import { EnteredCells } from './entered-cells'
import { isSameCell, joined, rebase, takeCells, toRecord, type CellOfRow } from './entered-rows'
import { followColumns } from './follow-columns'
import { RetryPause } from './retry-pause'
import { isAway, isCellChanged, isLater, isUnknownColumn } from './write-errors'
import type { CellState, Dispute, UnsavedCell, WritesState } from './writes-state'

/** Larger writes are not read back row by row; views are refreshed instead. */
const MAX_READ_BACK = 100
/** A write that takes longer than this is shown as one that waits. In milliseconds. */
const LATE_MS = 3_000
/** How often a write is sent again with the values that were read after it was refused for others. */
const MAX_ROUNDS = 3
/** How often the server may fail to make a change before the next ones go first. */
const MAX_FAILURES = 6

/** A view of the table. */
export interface TableView {
  /** Shows rows as they are stored. */
  store(stored: StoredRows): void
  /** Shows cells as they were sent, until they are read. */
  assume(rows: readonly RowChange[]): void
  /** Shows the entered values of rows, and their states, again. */
  redraw(rowIds: readonly number[]): void
}

interface Write {
  rows: EnteredRow[]
  /** What is sent, the same each time, so that it takes effect once. */
  request: { readonly records: readonly ExpectedChange[]; readonly key: string } | undefined
  rounds: number
  /** Number of answers that the change failed in passing. */
  failures: number
  hasWaited: boolean
  readonly resolve: (seq: number | undefined) => void
  readonly reject: (error: unknown) => void
}

/** An attempt that is to be repeated. */
type Failure = { readonly error: unknown } | undefined

/**
 * Writes the cells of a table, one write after the other, so that the last edit wins. Entered values are shown at once, and kept
 * until they are stored or the user has decided: while the server cannot be reached, or the user is signed out, they are sent
 * again. A cell that somebody else has changed in the meantime is not overwritten. A change that the server repeatedly fails to
 * make, though it answers, is set aside for the user to decide. Cells follow their columns when these are renamed.
 */
export class TableWrites {
  private queue: Write[] = []
  private disputes: readonly Dispute[] = []
  private readonly entered = new EnteredCells<Write>()
  private readonly views = new Set<TableView>()
  private readonly pause = new RetryPause()
  private isRunning = false
  private isWaiting = false
  private lastDispute = 0

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
    return { unsaved, waiting: this.isWaiting ? unsaved : 0, disputes: this.disputes }
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
    const done = this.send(rows, { failures: 0, hasWaited: false })
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
      write.rows = kept
      write.request = undefined
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
    const decided = new Set(ids)
    const disputes = this.disputes.filter(({ id }) => decided.has(id))
    this.disputes = this.disputes.filter(({ id }) => !decided.has(id))
    const writes = new Map<unknown, EnteredRow[]>()
    for (const { rowId, colId, colRef, place, mine, theirs, error } of disputes) {
      this.entered.drop(rowId, colId)
      const colRefs = colRef === undefined ? {} : { [colId]: colRef }
      const cell = { fields: { [colId]: mine }, before: { [colId]: theirs }, colRefs }
      writes.set(error, [...(writes.get(error) ?? []), { id: rowId, place, ...cell }])
    }
    if (choice === 'mine')
      for (const [error, rows] of writes) {
        // The user has seen that it failed, and waits for one answer.
        const failures = error === undefined ? 0 : MAX_FAILURES - 1
        void this.send(joined(rows), { failures, hasWaited: true })
      }
    this.changed(disputes.map(({ rowId }) => ({ id: rowId })))
  }

  private send(
    rows: EnteredRow[],
    state: Pick<Write, 'failures' | 'hasWaited'>,
  ): Promise<number | undefined> {
    const done = new Promise<number | undefined>((resolve, reject) => {
      const write: Write = { rows, request: undefined, rounds: 0, ...state, resolve, reject }
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
      const dispute = this.disputes.find((one) => isSameCell(one, cell))
      if (!dispute) continue
      if (dispute.error !== undefined) {
        this.disputes = this.disputes.filter((one) => one !== dispute)
        this.entered.drop(row.id, dispute.colId)
        if (dispute.theirs !== undefined) before[colId] = dispute.theirs
        continue
      }
      this.disputes = this.disputes.map((one) => (one === dispute ? { ...one, mine } : one))
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

  private async attempt(write: Write): Promise<Failure> {
    const { rows } = write
    if (rows.length === 0) return this.end(write, () => write.resolve(undefined))
    write.request ??= { records: rows.map(toRecord), key: createIdempotencyKey() }
    let seq: number | undefined
    try {
      seq = await this.api.change(write.request.records, write.request.key)
    } catch (error) {
      // All of it was discarded meanwhile.
      if (write.rows.length === 0) return undefined
      if (isLater(error)) return this.postpone(write, error)
      if (isCellChanged(error)) return this.compare(write, error)
      return isUnknownColumn(error) ? this.follow(write, error) : this.refuse(write, error)
    }
    this.settle(write, rows, await this.readBack(rows))
    return this.end(write, () => write.resolve(seq))
  }

  /** Repeats a change, unless it has failed often and the server is not away, but answers. */
  private async postpone(write: Write, error: unknown): Promise<Failure> {
    write.hasWaited = true
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

  /** Reads the rows of a write, in one attempt: the next write is waiting. */
  private async readBack(rows: readonly EnteredRow[]): Promise<StoredRows | undefined> {
    if (rows.length > MAX_READ_BACK) return undefined
    return this.api.readRows(rows.map(({ id }) => id)).catch(() => undefined)
  }

  /** Shows what is stored. */
  private settle(write: Write, sent: readonly EnteredRow[], read: StoredRows | undefined): void {
    this.rebaseLater(write, sent, read)
    for (const view of this.views) {
      if (read) view.store(read)
      else view.assume(sent)
    }
  }

  /** A later write of a cell is meant to replace the value that this one has stored. */
  private rebaseLater(
    write: Write,
    sent: readonly EnteredRow[],
    read: StoredRows | undefined,
  ): void {
    const stored = new Map(read?.rows.map((row) => [row.id, row.fields]))
    for (const later of this.queue)
      if (later !== write)
        later.rows = later.rows.map((row) => {
          const own = sent.find(({ id }) => id === row.id)
          return own ? rebase(row, { ...own.fields, ...stored.get(row.id) }, own.fields) : row
        })
  }

  private end(write: Write, settle: () => void): undefined {
    this.queue = this.queue.filter((one) => one !== write)
    for (const { id, fields } of this.entered.lastEnteredBy(write, write.rows))
      for (const colId of Object.keys(fields)) this.entered.drop(id, colId)
    this.changed(write.rows)
    settle()
  }

  private async refuse(write: Write, error: unknown): Promise<undefined> {
    const read = await this.readBack(write.rows)
    if (read) for (const view of this.views) view.store(read)
    // A change that failed may have been made all the same.
    const { stored, others } = splitStored(write.rows, read?.rows ?? [])
    this.rebaseLater(write, stored, read)
    const lost = this.entered.lastEnteredBy(write, others)
    if (!write.hasWaited) return this.end(write, () => write.reject(error))
    // The user has gone on since, and must not lose what was entered.
    this.end(write, () => write.resolve(undefined))
    this.dispute(lost, error)
  }

  /** Sends the cells of renamed columns under their new names. Those of deleted columns are for the user to decide. */
  private async follow(write: Write, error: unknown): Promise<Failure> {
    if (write.rounds >= MAX_ROUNDS) return this.refuse(write, error)
    let columns: readonly TableColumn[]
    try {
      columns = await this.api.readColumns()
    } catch (failure) {
      return isLater(failure) ? this.postpone(write, failure) : this.refuse(write, failure)
    }
    write.rounds++
    const followed = followColumns(write.rows, columns)
    const isSame = !followed.isRenamed && followed.gone.length === 0
    if (isSame || (followed.gone.length > 0 && !write.hasWaited)) return this.refuse(write, error)
    const last = this.entered.lastEnteredBy(write, write.rows)
    write.request = undefined
    write.rows = followed.rows
    this.move(write, last, columns)
    this.dispute(followColumns(last, columns).gone, error)
    return undefined
  }

  /** Shows the entered values of a write in the columns of their present ids, unless others were entered there since. */
  private move(write: Write, from: readonly EnteredRow[], columns: readonly TableColumn[]): void {
    for (const { id, fields } of from)
      for (const colId of Object.keys(fields)) this.entered.drop(id, colId)
    for (const { id, fields } of followColumns(from, columns).rows)
      for (const [colId, value] of Object.entries(fields))
        if (!this.entered.get(id, colId)) this.entered.set(id, colId, { value, write })
    this.changed(from)
  }

  /** Finds the cells that somebody else has changed; the others are sent again. */
  private async compare(write: Write, error: unknown): Promise<Failure> {
    if (write.rounds >= MAX_ROUNDS) return this.refuse(write, error)
    let read: StoredRows
    try {
      read = await this.readAll(write.rows.map(({ id }) => id))
    } catch (failure) {
      return isLater(failure) ? this.postpone(write, failure) : this.refuse(write, failure)
    }
    write.rounds++
    for (const view of this.views) view.store(read)
    const { disputed, others } = splitDisputed(write.rows, read.rows)
    write.request = undefined
    write.rows = others
    this.dispute(disputed.map((row) => this.withLater(row, write)))
    return undefined
  }

  private async readAll(ids: readonly number[]): Promise<StoredRows> {
    const parts: StoredRows[] = []
    for (let at = 0; at < ids.length; at += MAX_READ_BACK)
      parts.push(await this.api.readRows(ids.slice(at, at + MAX_READ_BACK)))
    const rows = parts.flatMap((part) => part.rows)
    return { rows, seq: Math.min(...parts.map(({ seq }) => seq)) }
  }

  private dispute(rows: readonly EnteredRow[], error?: unknown): void {
    const added = rows.flatMap(({ id: rowId, fields, before, colRefs, place }) =>
      Object.entries(fields).map(([colId, mine]): Dispute => {
        this.entered.set(rowId, colId, { value: mine, write: undefined })
        const cell = { rowId, colId, colRef: colRefs?.[colId], place }
        return { ...cell, id: ++this.lastDispute, mine, theirs: before[colId], error }
      }),
    )
    this.disputes = [...this.disputes, ...added]
    this.changed(rows)
  }

  /** Takes cells out of the writes that follow. Returns them with the values that were entered last. */
  private withLater(disputed: EnteredRow, write: Write): EnteredRow {
    let { fields } = disputed
    for (const later of this.queue) {
      if (later === write) continue
      const isIt = ({ id }: EnteredRow, colId: string) => id === disputed.id && colId in fields
      const { taken, kept } = takeCells(later.rows, isIt)
      later.rows = kept
      for (const row of taken) fields = { ...fields, ...row.fields }
    }
    return { ...disputed, fields }
  }
}
