import { createIdempotencyKey } from '@sheaf/client'
import { isPassing, isSignedOut } from '../api/passing-error'
import type { Row } from '../api/resources'
import type { CellsApi, EnteredRow, ExpectedChange, RowChange, StoredRows } from './cells-api'
import { splitDisputed } from './disputed-cells'
import { EnteredCells } from './entered-cells'
import { RetryPause } from './retry-pause'

/** Larger writes are not read back row by row; views are refreshed instead. */
const MAX_READ_BACK = 100
/** A write that takes longer than this is shown as one that waits. In milliseconds. */
const LATE_MS = 3_000
/** How often a write is sent again with the values that were read after it was refused for others. */
const MAX_ROUNDS = 3

/** What has become of an entered value: it is being sent, it will be sent again, or the user has to decide. */
export type CellState = 'sending' | 'waiting' | 'disputed'

/** An entered value that was not stored, and that the user has to decide about. */
export interface Dispute {
  readonly id: number
  readonly rowId: number
  readonly colId: string
  readonly place: string
  readonly mine: unknown
  /** The stored value, which somebody else has entered. */
  readonly theirs: unknown
  /** Why the server refused the value; undefined if somebody else has changed the cell. */
  readonly error?: unknown
}

/** A view of the table. */
export interface TableView {
  /** Shows rows as they are stored. */
  store(stored: StoredRows): void
  /** Shows cells as they were sent, until they are read. */
  assume(rows: readonly RowChange[]): void
  /** Shows the entered values of rows, and their states, again. */
  redraw(rowIds: readonly number[]): void
}

/** State of the writes of a table. */
export interface WritesState {
  /** Number of entered values that are not stored, disputed ones aside. */
  readonly unsaved: number
  /** Number of those that wait for the server to answer. */
  readonly waiting: number
  readonly disputes: readonly Dispute[]
}

interface Write {
  rows: EnteredRow[]
  /** What is sent, the same each time, so that it takes effect once. */
  request: { readonly records: readonly ExpectedChange[]; readonly key: string } | undefined
  rounds: number
  hasWaited: boolean
  readonly resolve: (seq: number | undefined) => void
  readonly reject: (error: unknown) => void
}

/** An attempt that is to be repeated. */
type Failure = { readonly error: unknown } | undefined

/**
 * Writes the cells of a table, one write after the other, so that the last edit wins. Entered values are shown at once, and kept
 * until they are stored or the user has decided: while the server cannot be reached, or the user is signed out, they are sent
 * again. A cell that somebody else has changed in the meantime is not overwritten.
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
   * Writes cells, after all earlier writes. Resolves when they are stored or disputed, to the position of the change in the log;
   * undefined if nothing changed. Rejects, and shows what is stored, if the server refuses them at once.
   */
  write(entered: readonly EnteredRow[]): Promise<number | undefined> {
    const rows = entered.flatMap((row) => this.withoutDisputed(row))
    const done = new Promise<number | undefined>((resolve, reject) => {
      const write = { rows, request: undefined, rounds: 0, hasWaited: false, resolve, reject }
      for (const { id, fields } of rows)
        for (const [colId, value] of Object.entries(fields))
          this.entered.set(id, colId, { value, write })
      this.queue.push(write)
    })
    this.changed(entered)
    void this.run()
    return done
  }

  /** Sends what waits now. */
  retry(): void {
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
    for (const { rowId, colId, place, mine, theirs, error } of disputes) {
      this.entered.drop(rowId, colId)
      const row = { id: rowId, fields: { [colId]: mine }, before: { [colId]: theirs }, place }
      const rows = writes.get(error) ?? []
      rows.push(row)
      writes.set(error, rows)
    }
    this.changed(disputes.map(({ rowId }) => ({ id: rowId })))
    if (choice === 'theirs') return
    for (const rows of writes.values()) {
      const entered = joined(rows)
      this.write(entered).catch((error: unknown) => this.dispute(entered, error))
    }
  }

  /** What is entered in a disputed cell takes part in the dispute. */
  private withoutDisputed(row: EnteredRow): EnteredRow[] {
    const fields = { ...row.fields }
    for (const [colId, mine] of Object.entries(row.fields)) {
      const isIt = (one: Dispute) => one.rowId === row.id && one.colId === colId
      if (!this.disputes.some(isIt)) continue
      this.disputes = this.disputes.map((one) => (isIt(one) ? { ...one, mine } : one))
      this.entered.set(row.id, colId, { value: mine, write: undefined })
      delete fields[colId]
    }
    return Object.keys(fields).length === 0 ? [] : [{ ...row, fields }]
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
      this.setWaiting(failure !== undefined)
      if (!failure) this.pause.reset()
      else {
        write.hasWaited = true
        await this.pause.begin(failure.error)
      }
    }
    this.isRunning = false
  }

  private async attempt(write: Write): Promise<Failure> {
    if (write.rows.length === 0) return this.end(write, () => write.resolve(undefined))
    write.request ??= { records: write.rows.map(toRecord), key: createIdempotencyKey() }
    let seq: number | undefined
    try {
      seq = await this.api.change(write.request.records, write.request.key)
    } catch (error) {
      if (isLater(error)) return { error }
      return isCellChanged(error) ? this.compare(write, error) : this.refuse(write, error)
    }
    this.settle(write, await this.readBack(write))
    return this.end(write, () => write.resolve(seq))
  }

  /** Reads the rows of a write, in one attempt: the next write is waiting. */
  private async readBack({ rows }: Write): Promise<StoredRows | undefined> {
    if (rows.length > MAX_READ_BACK) return undefined
    return this.api.readRows(rows.map(({ id }) => id)).catch(() => undefined)
  }

  /** Shows what is stored. */
  private settle(write: Write, read: StoredRows | undefined): void {
    const stored = new Map(read?.rows.map((row) => [row.id, row.fields]))
    // A later write of a cell is meant to replace the value that this one has stored.
    for (const later of this.queue)
      if (later !== write)
        later.rows = later.rows.map((row) => {
          const sent = write.rows.find(({ id }) => id === row.id)
          return sent ? rebase(row, { ...sent.fields, ...stored.get(row.id) }, sent.fields) : row
        })
    for (const view of this.views) {
      if (read) view.store(read)
      else view.assume(write.rows)
    }
  }

  private end(write: Write, settle: () => void): undefined {
    this.queue = this.queue.filter((one) => one !== write)
    for (const { id, fields } of this.entered.lastEnteredBy(write, write.rows))
      for (const colId of Object.keys(fields)) this.entered.drop(id, colId)
    this.changed(write.rows)
    settle()
  }

  private async refuse(write: Write, error: unknown): Promise<undefined> {
    const read = await this.readBack(write)
    if (read) for (const view of this.views) view.store(read)
    const lost = this.entered.lastEnteredBy(write, write.rows)
    if (!write.hasWaited) return this.end(write, () => write.reject(error))
    // The user has gone on since, and must not lose what was entered.
    this.end(write, () => write.resolve(undefined))
    this.dispute(lost, error)
  }

  /** Finds the cells that somebody else has changed; the others are sent again. */
  private async compare(write: Write, error: unknown): Promise<Failure> {
    if (write.rounds >= MAX_ROUNDS) return this.refuse(write, error)
    let read: StoredRows
    try {
      read = await this.readAll(write.rows.map(({ id }) => id))
    } catch (failure) {
      return isLater(failure) ? { error: failure } : this.refuse(write, failure)
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
    const added = rows.flatMap(({ id: rowId, fields, before, place }) =>
      Object.entries(fields).map(([colId, mine]): Dispute => {
        this.entered.set(rowId, colId, { value: mine, write: undefined })
        const theirs = before[colId]
        return { id: ++this.lastDispute, rowId, colId, place, mine, theirs, error }
      }),
    )
    this.disputes = [...this.disputes, ...added]
    this.changed(rows)
  }

  /** Takes cells out of the writes that follow. Returns them with the values that were entered last. */
  private withLater(disputed: EnteredRow, write: Write): EnteredRow {
    let { fields } = disputed
    for (const later of this.queue)
      if (later !== write)
        later.rows = later.rows.flatMap((row) => {
          if (row.id !== disputed.id) return [row]
          const cells = Object.entries(row.fields)
          const taken = cells.filter(([colId]) => colId in fields)
          const kept = cells.filter(([colId]) => !(colId in fields))
          fields = { ...fields, ...Object.fromEntries(taken) }
          return kept.length === 0 ? [] : [{ ...row, fields: Object.fromEntries(kept) }]
        })
    return { ...disputed, fields }
  }
}

/** Returns a row whose `before` has the stored values of the cells that were sent. */
function rebase(
  row: EnteredRow,
  stored: Readonly<Record<string, unknown>>,
  sent: RowChange['fields'],
): EnteredRow {
  const both = Object.keys(row.fields).filter((colId) => colId in sent)
  const before = Object.fromEntries(both.map((colId) => [colId, stored[colId]]))
  return { ...row, before: { ...row.before, ...before } }
}

/** Joins the cells of each row. */
function joined(cells: readonly EnteredRow[]): EnteredRow[] {
  const rows = new Map<number, EnteredRow>()
  for (const cell of cells) {
    const { fields, before } = rows.get(cell.id) ?? { fields: {}, before: {} }
    const joint = { fields: { ...fields, ...cell.fields }, before: { ...before, ...cell.before } }
    rows.set(cell.id, { ...cell, ...joint })
  }
  return [...rows.values()]
}

function toRecord({ id, fields, before }: EnteredRow): ExpectedChange {
  const known = Object.keys(fields).filter((colId) => colId in before)
  if (known.length === 0) return { id, fields }
  const expect = Object.fromEntries(known.map((colId) => [colId, before[colId] ?? null]))
  return { id, fields, expect }
}

/** True if the same write may succeed later. */
const isLater = (error: unknown): boolean => isPassing(error) || isSignedOut(error)

const isCellChanged = (error: unknown): boolean =>
  (error as { reason?: string } | undefined)?.reason === 'CELL_CHANGED'
