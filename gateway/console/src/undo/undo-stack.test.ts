import { UndoStack } from './undo-stack'

class Log {
  seq = 10
  readonly reverted: number[] = []
  error: Error | undefined
  readonly revert = (seq: number): Promise<number> => {
    if (this.error) return Promise.reject(this.error)
    this.reverted.push(seq)
    return Promise.resolve(++this.seq)
  }
}

class Passing extends Error {}

let log: Log
let stack: UndoStack
beforeEach(() => {
  log = new Log()
  stack = new UndoStack(log.revert, (error) => error instanceof Passing)
})
const at = (seq: number | undefined) => Promise.resolve(seq)

describe('the changes of a page', () => {
  it('are undone from the latest, and redone by undoing their undoes', async () => {
    stack.record('first', at(1))
    stack.record('second', at(2))
    expect(stack.readState()).toEqual({ undo: 'second', redo: undefined })
    expect(await stack.undo()).toBe('second')
    expect(await stack.undo()).toBe('first')
    expect(await stack.undo()).toBeUndefined()
    expect(stack.readState()).toEqual({ undo: undefined, redo: 'first' })
    expect(await stack.redo()).toBe('first')
    expect(await stack.undo()).toBe('first')
    // 11 and 12 are the undoes, 13 is the redo.
    expect(log.reverted).toEqual([2, 1, 12, 13])
  })

  it('are undone once they are saved, and no more of them however often that is asked for meanwhile', async () => {
    let save: (seq: number) => void = () => {}
    stack.record('first', at(1))
    stack.record('slow', new Promise((resolve) => (save = resolve)))
    const undone = stack.undo()
    await at(1)
    expect(stack.readUnsaved()).toBe('slow')
    for (const again of [stack.undo, stack.redo, stack.undo]) expect(await again()).toBeUndefined()
    save(2)
    expect(await undone).toBe('slow')
    expect(stack.readUnsaved()).toBeUndefined()
    expect(log.reverted).toEqual([2])
    expect(await stack.undo()).toBe('first')
  })

  it('are those that were there when the undo was asked for, in the order of the keys', async () => {
    stack.record('first', at(1))
    stack.record('second', at(2))
    const undone = [stack.undo(), stack.undo()]
    stack.record('later', at(3))
    expect(await Promise.all(undone)).toEqual(['second', 'first'])
    expect(log.reverted).toEqual([2, 1])
    expect(stack.readState().undo).toBe('later')
  })

  it('are no longer undone once they are undone in the history, which is redone like any undo', async () => {
    stack.record('first', at(1))
    stack.record('second', at(2))
    await new Promise((resolve) => setTimeout(resolve))
    await stack.undoAt(2)
    expect(stack.readState()).toEqual({ undo: 'first', redo: 'second' })
    // The undo of that undo.
    await stack.undoAt(11)
    expect(stack.readState()).toEqual({ undo: 'second', redo: undefined })
    expect(log.reverted).toEqual([2, 11])
  })

  it('include undoes of other changes in the history, unless they fail', async () => {
    stack.record('first', at(1))
    await stack.undo()
    log.error = new Error('changed since')
    await expect(stack.undoAt(5)).rejects.toBe(log.error)
    expect(stack.readState()).toEqual({ undo: undefined, redo: 'first' })
    log.error = undefined
    await stack.undoAt(5)
    expect(stack.readState()).toEqual({ undo: 'Undo of change 5', redo: undefined })
    expect(await stack.undo()).toBe('Undo of change 5')
    expect(log.reverted).toEqual([1, 5, 12])
  })

  it('are forgotten if they changed nothing, or were refused', async () => {
    stack.record('first', at(1))
    stack.record('same', at(undefined))
    stack.record('refused', Promise.reject(new Error('no')))
    // The one whose undo was asked for is undone, or nothing.
    expect(await stack.undo()).toBeUndefined()
    expect(log.reverted).toEqual([])
    expect(stack.readState()).toEqual({ undo: 'first', redo: undefined })
    expect(await stack.undo()).toBe('first')
  })

  it('cannot be redone after another change', async () => {
    stack.record('first', at(1))
    await stack.undo()
    stack.record('second', at(2))
    expect(stack.readState()).toEqual({ undo: 'second', redo: undefined })
    expect(await stack.redo()).toBeUndefined()
  })

  it('are kept if the server is away, and forgotten if they cannot be undone', async () => {
    stack.record('first', at(1))
    stack.record('second', at(2))
    log.error = new Passing('away')
    await expect(stack.undo()).rejects.toBe(log.error)
    expect(stack.readState().undo).toBe('second')
    log.error = new Error('changed since')
    await expect(stack.undo()).rejects.toBe(log.error)
    expect(stack.readState()).toEqual({ undo: 'first', redo: undefined })
  })

  it('can be undone one by one, each once', async () => {
    const undoFirst = stack.record('first', at(1))
    stack.record('second', at(2))
    expect(await undoFirst()).toBe('first')
    expect(await undoFirst()).toBeUndefined()
    expect(log.reverted).toEqual([1])
    expect(stack.readState()).toEqual({ undo: 'second', redo: 'first' })
  })

  it('are forgotten when the log may be another, also while one is undone', async () => {
    let finish: (seq: number) => void = () => {}
    stack = new UndoStack(
      () => new Promise((resolve) => (finish = resolve)),
      () => false,
    )
    stack.record('first', at(1))
    const undone = stack.undo()
    while (log.seq < 12) await at(log.seq++)
    stack.clear()
    finish(2)
    expect(await undone).toBeUndefined()
    expect(stack.readState()).toEqual({ undo: undefined, redo: undefined })
  })

  it('are at most a hundred, and those who watch are told of each state once', async () => {
    const seen: unknown[] = []
    const unwatch = stack.watchState(() => seen.push(stack.readState().undo))
    for (let seq = 1; seq <= 120; seq++) stack.record(`change ${seq}`, at(seq))
    expect(seen).toHaveLength(120)
    unwatch()
    while ((await stack.undo()) !== undefined);
    expect(log.reverted).toEqual(Array.from({ length: 100 }, (_, index) => 120 - index))
  })
})
