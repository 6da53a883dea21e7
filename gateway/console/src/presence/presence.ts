import type { PresencePlace, PresentSession } from '@sheaf/client'
import { isSamePlace, othersOf, type Person } from './people'

/** The least time between two places that are sent. */
const PAUSE_MS = 250
/** A list that arrives this soon after a place was sent may be older than it. */
const IN_FLIGHT_MS = 1_000

/** What is known of a page and its user. */
interface PresenceParts {
  readonly userId: number
  /** The session of the page in the change stream. */
  readonly session: string
  /** Sends where the page is. */
  readonly send: (place: PresencePlace) => Promise<void>
}

/**
 * Who else has the document open, and where this page is, which is sent to them: only while there are others, the latest place
 * each time, and again when the server has another one, because the stream of changes is another one since.
 */
export class Presence {
  private people: readonly Person[] = []
  private place: PresencePlace = {}
  /** The place that the server has of this page; undefined while it is not present. */
  private known: PresencePlace | undefined
  private sentAt = -Infinity
  private timer: ReturnType<typeof setTimeout> | undefined
  private readonly listeners = new Set<() => void>()

  constructor(private readonly parts: PresenceParts) {}

  /** The other people. With `watch`, the arguments of `useSyncExternalStore`. */
  readonly read = (): readonly Person[] => this.people

  /** Calls back when the other people, or their places, change. Returns a function that unsubscribes. */
  readonly watch = (listener: () => void): (() => void) => {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  /** Call with each list of who is present. */
  readonly receive = (sessions: readonly PresentSession[]): void => {
    const { userId, session } = this.parts
    const own = sessions.find((each) => each.userId === userId && each.sessionId === session)
    const isInFlight = own && this.known && performance.now() - this.sentAt < IN_FLIGHT_MS
    if (!isInFlight) this.known = own?.place
    const people = othersOf(sessions, userId)
    if (JSON.stringify(people) !== JSON.stringify(this.people)) {
      this.people = people
      for (const listener of this.listeners) listener()
    }
    this.schedule()
  }

  /** This page is in a table: where in it is known already, or not yet. */
  readonly enter = (tableId: string): void => {
    if (this.place.tableId !== tableId) this.move({ tableId })
  }

  /** This page is at another place. */
  readonly move = (place: PresencePlace): void => {
    this.place = place
    this.schedule()
  }

  /** Nothing is sent any more. */
  readonly stop = (): void => {
    clearTimeout(this.timer)
    this.timer = undefined
  }

  private schedule(): void {
    if (this.timer !== undefined || !this.isUnknown()) return
    const waitMs = Math.max(0, this.sentAt + PAUSE_MS - performance.now())
    this.timer = setTimeout(() => this.flush(), waitMs)
  }

  private flush(): void {
    this.timer = undefined
    if (!this.isUnknown()) return
    this.sentAt = performance.now()
    this.known = this.place
    // It is sent again when the next list does not have it.
    this.parts.send(this.place).catch(() => {})
  }

  /** True if somebody would see that this page is elsewhere. */
  private isUnknown(): boolean {
    const { known, people, place } = this
    return people.length > 0 && known !== undefined && !isSamePlace(known, place)
  }
}
