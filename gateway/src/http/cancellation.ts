import type { CallSignal } from '@sheaf/protos/call'

type Listener = Parameters<CallSignal['addEventListener']>[1]

/**
 * Signals that the result of a request is no longer needed. Every request has one; an AbortSignal of Node 20
 * takes 5 µs to create and stays in old space, with its listeners, until the next full collection.
 */
export class Cancellation implements CallSignal {
  aborted = false
  reason!: Error
  private listeners: Listener[] = []

  addEventListener(_type: 'abort', listener: Listener): void {
    this.listeners.push(listener)
  }

  removeEventListener(_type: 'abort', listener: Listener): void {
    this.listeners = this.listeners.filter((other) => other !== listener)
  }

  /** Notifies all listeners, once. */
  abort(reason: Error): void {
    if (this.aborted) return
    this.aborted = true
    this.reason = reason
    // One at a time: a listener may remove others.
    for (let next = this.listeners.shift(); next; next = this.listeners.shift())
      if (typeof next === 'function') next()
      else next.handleEvent()
  }
}
