import type { PresencePlace, PresentSession } from '@sheaf/protos/sheaf/document_data/v1/presence'

/** Returns the data of an event `presence`. */
export function presenceJson(sessions: readonly PresentSession[]): string {
  return JSON.stringify({
    sessions: sessions.map(({ userId, name, sessionId, place }) => ({
      userId,
      name,
      sessionId,
      place: placeJson(place),
    })),
  })
}

/** Only what the place has: a session may be in a table without being in a row. */
function placeJson(place: PresencePlace | undefined) {
  const { tableId = '', rowId = 0, colId = '' } = place ?? {}
  return {
    ...(tableId !== '' && { tableId }),
    ...(rowId !== 0 && { rowId }),
    ...(colId !== '' && { colId }),
  }
}
