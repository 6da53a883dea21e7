/** A power of two; calls whose ids agree in their last bits are rarely under way together. */
const SLOTS = 1024

/**
 * Calls under way, by their ids. Not a Map: V8 links each table that a Map outgrows to the next one, so one dead table in
 * old space keeps all later ones alive, with the calls in them, until the next full collection.
 */
export class CallTable<T extends { readonly id: number }> {
  private readonly slots = new Array<T | undefined>(SLOTS).fill(undefined)
  /** Calls whose slot is occupied. */
  private readonly others = new Map<number, T>()
  private count = 0

  /** Number of calls in the table. */
  get size(): number {
    return this.count
  }

  /** Returns the call with this id. */
  get(id: number): T | undefined {
    const call = this.slots[id % SLOTS]
    return call?.id === id ? call : this.others.get(id)
  }

  /** Adds a call; its id must be unique in the table. */
  add(call: T): void {
    const slot = call.id % SLOTS
    if (this.slots[slot]) this.others.set(call.id, call)
    else this.slots[slot] = call
    this.count++
  }

  /** Removes a call that the table holds. */
  delete(call: T): void {
    const slot = call.id % SLOTS
    if (this.slots[slot] === call) this.slots[slot] = undefined
    else this.others.delete(call.id)
    this.count--
  }

  /** Returns a snapshot of all calls, in no order. */
  list(): T[] {
    const calls = this.slots.filter((call) => call !== undefined)
    return [...calls, ...this.others.values()]
  }
}
