import type { PresentSession } from '@sheaf/client'
import { useQueryClient } from '@tanstack/react-query'
import { createContext, use, useEffect, useMemo, useSyncExternalStore, type ReactNode } from 'react'
import { positionQuery, VIEWS_TABLE } from '../api/resources'
import { ChangeStream, type ChangeListener, type LiveState } from './change-stream'

const LiveContext = createContext<ChangeStream | undefined>(undefined)

function useChangeStream(): ChangeStream {
  const stream = use(LiveContext)
  if (!stream) throw new Error('useChangeStream requires a LiveProvider')
  return stream
}

/** Returns the state of the change stream of the document. */
export function useLiveState(): LiveState {
  const { watchState, readState } = useChangeStream()
  return useSyncExternalStore(watchState, readState)
}

/** Returns the name by which this page is present in the document. */
export function useLiveSession(): string {
  return useChangeStream().session
}

/** Subscribes to who is present in the document: see `watchPresence`. The listener must be memoized. */
export function useLivePresence(listener: (sessions: readonly PresentSession[]) => void): void {
  const { watchPresence } = useChangeStream()
  useEffect(() => watchPresence(listener), [watchPresence, listener])
}

/** Subscribes to the changes of the document. The listener must be memoized. */
export function useLiveChanges(listener: ChangeListener): void {
  const { subscribe } = useChangeStream()
  useEffect(() => subscribe(listener), [subscribe, listener])
}

/**
 * Provides the change stream of a document to its children. Refetches tables, columns and views when they change. While it is
 * paused there are no changes; afterwards it resumes after the last one.
 */
export function LiveProvider(props: {
  readonly docId: string
  readonly isPaused: boolean
  readonly children: ReactNode
}): ReactNode {
  const { docId, isPaused, children } = props
  const client = useQueryClient()
  const stream = useMemo(
    () => new ChangeStream(docId, client.getQueryData(positionQuery(docId).queryKey)),
    [client, docId],
  )
  // The position is that of the first opening only.
  useEffect(() => client.removeQueries(positionQuery(docId)), [client, docId])
  useEffect(() => {
    if (isPaused) return
    const invalidate = (...key: readonly string[]) =>
      void client.invalidateQueries({ queryKey: ['document', docId, ...key] })
    const unsubscribe = stream.subscribe({
      onChange({ operations }) {
        const actions = new Set<string>(operations.map(({ action }) => action))
        for (const kind of ['Table', 'Column'])
          if (['add', 'update', 'remove'].some((verb) => actions.has(verb + kind))) {
            invalidate('tables')
            invalidate('columns')
            // Views follow renames and removals.
            invalidate('views')
          }
        if (operations.some(({ tableId }) => tableId === VIEWS_TABLE)) invalidate('views')
      },
      onGap: () => invalidate(),
    })
    const close = stream.open()
    return () => {
      close()
      unsubscribe()
    }
  }, [stream, client, docId, isPaused])
  return <LiveContext value={stream}>{children}</LiveContext>
}
