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

  it('are undone once they are written, in the order of the keys', async () => {
    let finish: (seq: number) => void = () => {}
    stack.record('first', at(1))
    stack.record('slow', new Promise((resolve) => (finish = resolve)))
    const undone = [stack.undo(), stack.undo()]
    expect(log.reverted).toEqual([])
    finish(2)
    expect(await Promise.all(undone)).toEqual(['slow', 'first'])
    expect(log.reverted).toEqual([2, 1])
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
