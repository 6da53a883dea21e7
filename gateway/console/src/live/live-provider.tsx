import { useQueryClient } from '@tanstack/react-query'
import { createContext, use, useEffect, useMemo, useSyncExternalStore, type ReactNode } from 'react'
import { LiveChanges, type ChangeListener, type LiveState } from './change-stream'

const LiveContext = createContext<LiveChanges | undefined>(undefined)

function useLive(): LiveChanges {
  const live = use(LiveContext)
  if (!live) throw new Error('no document is open here')
  return live
}

/** Whether changes of the document are told as they are made. */
export function useLiveState(): LiveState {
  const { watchState, readState } = useLive()
  return useSyncExternalStore(watchState, readState)
}

/** Follows the changes of the document; the listener must stay the same from one rendering to the next. */
export function useLiveChanges(listener: ChangeListener): void {
  const { follow } = useLive()
  useEffect(() => follow(listener), [follow, listener])
}

/** Follows the changes of a document for all that is inside; its tables and columns are fetched anew when they change. */
export function LiveProvider(props: {
  readonly docId: string
  readonly children: ReactNode
}): ReactNode {
  const { docId, children } = props
  const client = useQueryClient()
  const live = useMemo(() => new LiveChanges(docId), [docId])
  useEffect(() => {
    const renew = (...key: readonly string[]) =>
      void client.invalidateQueries({ queryKey: ['document', docId, ...key] })
    const unfollow = live.follow({
      onChange({ operations }) {
        const actions = new Set<string>(operations.map(({ action }) => action))
        for (const kind of ['Table', 'Column'])
          if (['add', 'update', 'remove'].some((verb) => actions.has(verb + kind))) {
            renew('tables')
            renew('columns')
          }
      },
      onGap: () => renew(),
    })
    const close = live.open()
    return () => {
      close()
      unfollow()
    }
  }, [live, client, docId])
  return <LiveContext value={live}>{children}</LiveContext>
}
