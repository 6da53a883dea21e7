import { setTimeout as delay } from 'node:timers/promises'
import type { ServerCall } from '@sheaf/auth/server-call'
import { AppError } from '@sheaf/kit/errors'
import type {
  PresenceService,
  UpdatePresenceRequest,
  UpdatePresenceResponse,
  WatchPresenceRequest,
  WatchPresenceResponse,
} from '@sheaf/protos/sheaf/document_data/v1/presence'
import type { Context } from '../context'
import type { Presence, PresencePlace, SessionOfUser } from '../presence'
import { requireDocument } from './document-call'

/** After this much silence the stream is continued, if this instance is still the home of the document. */
const HEARTBEAT_MS = 5_000
/** The least time between two lists, with some more for each session: the longer the list, the rarer it is sent. */
const LEAST_PAUSE_MS = 100
const PAUSE_PER_SESSION_MS = 10
const SESSION_ID = /^[\w-]{8,64}$/
/** As long as the ids of tables and columns. */
const MAX_ID = 500

/** Handlers of PresenceService. Calls that wait do not count for admission control; Presence bounds their number. */
export const watchedPresence = (ctx: Context, presence: Presence): PresenceService => ({
  async *watchPresence(
    { docId, sessionId }: WatchPresenceRequest,
    call: ServerCall,
  ): AsyncGenerator<WatchPresenceResponse> {
    const who = sessionOf(ctx, call, { docId, sessionId })
    const { signal } = call
    const visit = presence.enter(who, call.caller.name)
    try {
      for (let isChanged = true; ; isChanged = await visit.change(HEARTBEAT_MS, signal)) {
        if (signal.aborted) return
        // Throws when the document is gone.
        ctx.documents.stateOf(docId)
        const sessions = isChanged ? visit.list() : []
        yield { unchanged: !isChanged, sessions }
        if (isChanged) await pause(sessions.length, signal)
      }
    } finally {
      visit.leave()
    }
  },

  updatePresence(
    { docId, sessionId, place }: UpdatePresenceRequest,
    call: ServerCall,
  ): Promise<UpdatePresenceResponse> {
    const who = sessionOf(ctx, call, { docId, sessionId })
    presence.move(who, placeOf(place))
    return Promise.resolve({})
  },
})

function sessionOf(
  ctx: Context,
  call: ServerCall,
  { docId, sessionId }: WatchPresenceRequest,
): SessionOfUser {
  requireDocument(ctx, call, docId, 'viewers')
  const { userId, anonymous: isAnonymous, system: isSystem } = call.caller
  if (isAnonymous || isSystem)
    throw new AppError('unauthenticated', 'SIGN_IN_NEEDED', 'authentication required')
  if (!SESSION_ID.test(sessionId))
    throw badField('session_id must be 8 to 64 letters, digits, dashes or underscores')
  return { docId, userId, sessionId }
}

function placeOf({ tableId, rowId, colId }: PresencePlace = { tableId: '', rowId: 0, colId: '' }) {
  if (tableId.length > MAX_ID) throw badField(`table_id must not exceed ${MAX_ID} characters`)
  if (colId.length > MAX_ID) throw badField(`col_id must not exceed ${MAX_ID} characters`)
  return { tableId, rowId, colId }
}

const pause = (sessions: number, signal: AbortSignal): Promise<void> =>
  delay(LEAST_PAUSE_MS + PAUSE_PER_SESSION_MS * sessions, undefined, { signal }).catch(() => {})

const badField = (message: string) => new AppError('invalid', 'BAD_FIELD', message)
