/** Where in a document a session is: in a table, a row or a cell. */
export interface PresencePlace {
  readonly tableId?: string
  /** With `tableId`. */
  readonly rowId?: number
  /** With `rowId`. */
  readonly colId?: string
}

/** A program of a user that has a document open. */
export interface PresentSession {
  readonly userId: number
  /** Name of the user. */
  readonly name: string
  /** The `session` of its feed. */
  readonly sessionId: string
  readonly place: PresencePlace
}
