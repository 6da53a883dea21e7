/** What the next undo and redo would do; undefined if there is nothing to undo or redo. */
export interface UndoState {
  readonly undo: string | undefined
  readonly redo: string | undefined
}

interface OwnChange {
  readonly label: string
  /** Grows from change to change. */
  readonly number: number
  /** Its position in the log, once it is written; undefined if it changed nothing, or was refused. */
  readonly seq: Promise<number | undefined>
  /** The same once it is known. */
  position?: number
}

type Side = 'done' | 'undone'

/** Changes that can be undone; earlier ones are forgotten. */
const MAX_CHANGES = 100
const NOTHING: UndoState = { undo: undefined, redo: undefined }

/**
 * The changes of a document that were made in this page, latest last. A change is undone by a new one, whose undo is
 * the redo, so that changes of others are never overwritten. Undoes run one after the other, after the write of their change; until then
 * others are ignored, so that keys that are pressed again and again undo no more than was meant.
 */
export class UndoStack {
  private done: OwnChange[] = []
  private undone: OwnChange[] = []
  private state = NOTHING
  private last: Promise<unknown> = Promise.resolve()
  private count = 0
  private unsaved: OwnChange | undefined
  private readonly listeners = new Set<() => void>()

  /**
   * @param revert undoes the change at a position, and resolves to the position of the new change
   * @param isPassing true for errors after which the same undo may succeed
   */
  constructor(
    private readonly revert: (seq: number) => Promise<number>,
    private readonly isPassing: (error: unknown) => boolean,
  ) {}

  /**
   * Adds a change while it is written. Nothing that was undone before can be redone after it. Returns a function that undoes
   * this change, as `undo` does, if it is not undone already.
   */
  record(label: string, written: Promise<number | undefined>): () => Promise<string | undefined> {
    const seq = written.catch(() => undefined)
    const change: OwnChange = { label, number: ++this.count, seq }
    this.done = [...this.done, change].slice(-MAX_CHANGES)
    this.undone = []
    this.update()
    void seq.then((position) => {
      change.position = position
      if (position === undefined) this.forget(change)
    })
    return () => this.step('done', change)
  }

  /** Undoes the change at a position, as `undo` does if it is of this page, and otherwise by a change that can be undone here. */
  async undoAt(position: number): Promise<void> {
    for (const side of ['done', 'undone'] as const) {
      const own = this[side].find((change) => change.position === position)
      if (own) {
        await this.revertOne(side, own)
        return
      }
    }
    const reverted = await this.revert(position)
    this.record(`Undo of change ${position}`, Promise.resolve(reverted))
  }

  /**
   * Undoes the latest change. Resolves to its label; to undefined if there is none, or it changed nothing. Rejects if it cannot
   * be undone, and forgets it then unless the error passes.
   */
  readonly undo = (): Promise<string | undefined> => this.step('done')

  /** Makes the change again that was undone last. Settles as `undo` does. */
  readonly redo = (): Promise<string | undefined> => this.step('undone')

  /** Forgets all changes, when their positions may belong to another log. */
  readonly clear = (): void => {
    this.unsaved = undefined
    this.done = []
    this.undone = []
    this.update()
  }

  /** Returns the label of the change that is undone once it is saved; meanwhile nothing else is. Undefined if there is none. */
  readonly readUnsaved = (): string | undefined => this.unsaved?.label

  /** The current state. With `watchState`, the arguments of `useSyncExternalStore`. */
  readonly readState = (): UndoState => this.state

  /** Calls back when the state changes. Returns a function that unsubscribes. */
  readonly watchState = (listener: () => void): (() => void) => {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  private step(from: Side, only?: OwnChange): Promise<string | undefined> {
    if (this.unsaved) return Promise.resolve(undefined)
    // Not one that is made while earlier undoes run.
    const latest = this.count
    const pick = () => only ?? this[from].findLast(({ number }) => number <= latest)
    const run = this.last.then(() => this.revertOne(from, pick()))
    this.last = run.catch(() => {})
    return run
  }

  private async revertOne(from: Side, change: OwnChange | undefined): Promise<string | undefined> {
    if (!change) return undefined
    const seq = change.position ?? (await this.whenSaved(change))
    if (seq === undefined || !this[from].includes(change)) return undefined
    let reverted: number
    try {
      reverted = await this.revert(seq)
    } catch (error) {
      if (!this.isPassing(error)) this.forget(change)
      throw error
    }
    // All may have been forgotten meanwhile.
    if (!this[from].includes(change)) return undefined
    const to = from === 'done' ? 'undone' : 'done'
    const { label, number } = change
    const seqOfUndo = Promise.resolve(reverted)
    this[to] = [...this[to], { label, number, seq: seqOfUndo, position: reverted }]
    this.forget(change)
    return label
  }

  private async whenSaved(change: OwnChange): Promise<number | undefined> {
    this.unsaved = change
    const seq = await change.seq
    if (this.unsaved === change) this.unsaved = undefined
    return seq
  }

  private forget(change: OwnChange): void {
    const others = (changes: OwnChange[]) => changes.filter((other) => other !== change)
    this.done = others(this.done)
    this.undone = others(this.undone)
    this.update()
  }

  private update(): void {
    const state = { undo: this.done.at(-1)?.label, redo: this.undone.at(-1)?.label }
    if (state.undo === this.state.undo && state.redo === this.state.redo) return
    this.state = state
    for (const listener of this.listeners) listener()
  }
}
