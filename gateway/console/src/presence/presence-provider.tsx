import { createContext, use, useEffect, useMemo, useSyncExternalStore, type ReactNode } from 'react'
import { docOf } from '../api/sheaf'
import { useLivePresence, useLiveSession } from '../live/live-provider'
import { useCurrentUser } from '../session/session-provider'
import type { Person } from './people'
import { Presence } from './presence'

const PresenceContext = createContext<Presence | undefined>(undefined)

/** A place that is older than the next one is of no use. */
const ONCE = { retry: { attempts: 1 } }

/** Returns where this page is to be set. The same object each time. */
export function usePlace(): Pick<Presence, 'enter' | 'move'> {
  const presence = use(PresenceContext)
  if (!presence) throw new Error('usePlace requires a PresenceProvider')
  return presence
}

/** Returns the other people who have the document open. */
export function usePeople(): readonly Person[] {
  const presence = use(PresenceContext)
  if (!presence) throw new Error('usePeople requires a PresenceProvider')
  return useSyncExternalStore(presence.watch, presence.read)
}

/** Provides to its children who else has a document open; within its LiveProvider. */
export function PresenceProvider(props: {
  readonly docId: string
  readonly children: ReactNode
}): ReactNode {
  const { docId, children } = props
  const { id: userId } = useCurrentUser()
  const session = useLiveSession()
  const presence = useMemo(
    () =>
      new Presence({
        userId,
        session,
        send: (place) => docOf(docId).setPresence(session, place, ONCE),
      }),
    [docId, userId, session],
  )
  useLivePresence(presence.receive)
  useEffect(() => presence.stop, [presence])
  return <PresenceContext value={presence}>{children}</PresenceContext>
}
