/** A power of two; calls whose ids agree in their last bits are rarely under way together. */
const SLOTS = 1024

/**
 * Calls under way, by their ids. Not a Map: V8 links each table that a Map outgrows to the next one, so one dead table in
 * old space keeps all later ones alive, with the calls in them, until the next full collection.
 */
export class CallTable<T extends { readonly id: number }> {
  private readonly slots = new Array<T | undefined>(SLOTS).fill(undefined)
  /** Calls whose slot is taken. */
  private readonly others = new Map<number, T>()
  private count = 0

  /** Calls that it holds. */
  get size(): number {
    return this.count
  }

  /** The call with this id. */
  get(id: number): T | undefined {
    const call = this.slots[id % SLOTS]
    return call?.id === id ? call : this.others.get(id)
  }

  /** Takes in a call, whose id no other one here may have. */
  add(call: T): void {
    const slot = call.id % SLOTS
    if (this.slots[slot]) this.others.set(call.id, call)
    else this.slots[slot] = call
    this.count++
  }

  /** Takes out a call that it holds. */
  delete(call: T): void {
    const slot = call.id % SLOTS
    if (this.slots[slot] === call) this.slots[slot] = undefined
    else this.others.delete(call.id)
    this.count--
  }

  /** All calls, in no order; those that it held when it was asked. */
  list(): T[] {
    const calls = this.slots.filter((call) => call !== undefined)
    return [...calls, ...this.others.values()]
  }
}
