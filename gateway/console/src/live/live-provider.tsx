import type { PresentSession } from '@sheaf/client'
import { onlineManager, useQueryClient } from '@tanstack/react-query'
import { createContext, use, useEffect, useMemo, useSyncExternalStore, type ReactNode } from 'react'
import { positionQuery, VIEWS_TABLE } from '../api/resources'
import { changedLabels } from './changed-labels'
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

/** Returns a function that returns the sequence number of the last received change of the document; 0 if none is known. */
export function useLivePosition(): () => number {
  return useChangeStream().readPosition
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

const schemaActions = ['Table', 'Column'].flatMap((kind) =>
  ['add', 'update', 'remove'].map((verb) => verb + kind),
)

/**
 * Provides the change stream of a document to its children. Refetches tables, columns, views and labels of rows when they change. While it is
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
    // The page of a renamed table follows it by its tables, before the old id turns out to be gone.
    const afterTables = async (then: () => void) => {
      await client.invalidateQueries({ queryKey: ['document', docId, 'tables'] })
      then()
    }
    const unsubscribe = stream.subscribe({
      onChange(change) {
        const { operations } = change
        const isChanged = changedLabels(change)
        void client.invalidateQueries({
          queryKey: ['document', docId, 'label'],
          predicate: ({ queryKey }) => isChanged(queryKey),
        })
        const actions = new Set<string>(operations.map(({ action }) => action))
        if (schemaActions.some((action) => actions.has(action)))
          void afterTables(() => {
            invalidate('columns')
            // Views follow renames and removals.
            invalidate('views')
          })
        if (operations.some(({ tableId }) => tableId === VIEWS_TABLE)) invalidate('views')
      },
      onGap: () => void afterTables(invalidate),
    })
    const close = stream.open()
    // Also once the user of a page that was kept has signed in again.
    const endOnline = onlineManager.subscribe((isOnline) => isOnline && stream.catchUp())
    return () => {
      endOnline()
      close()
      unsubscribe()
    }
  }, [stream, client, docId, isPaused])
  return <LiveContext value={stream}>{children}</LiveContext>
}
