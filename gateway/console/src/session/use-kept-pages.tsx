import { onlineManager, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState, type ReactNode } from 'react'
import { useDrafts } from '../components/drafts'
import { SessionEnd } from './session-end'

/**
 * Keeps the pages when their session has ended while they have drafts, which nothing else has. They read nothing meanwhile, and
 * everything anew afterwards. Returns what covers them; undefined if they are not kept.
 * @param end how the session has ended; undefined if it has not
 * @param onReturn called when the user may have signed in again; the same function each time
 */
export function useKeptPages(
  end: 'signed out' | 'other' | undefined,
  onReturn: () => void,
): ReactNode {
  const client = useQueryClient()
  const drafts = useDrafts()
  const [isLeaving, setLeaving] = useState(false)
  if (isLeaving && !end) setLeaving(false)
  const areKept = end !== undefined && drafts.length > 0 && !isLeaving
  useEffect(() => {
    if (!areKept) return
    onlineManager.setOnline(false)
    window.addEventListener('focus', onReturn)
    document.addEventListener('visibilitychange', onReturn)
    return () => {
      window.removeEventListener('focus', onReturn)
      document.removeEventListener('visibilitychange', onReturn)
      onlineManager.setOnline(true)
      void client.invalidateQueries()
    }
  }, [areKept, onReturn, client])
  if (!areKept) return undefined
  return (
    <SessionEnd
      drafts={drafts}
      isOther={end === 'other'}
      onContinue={onReturn}
      onLeave={() => setLeaving(true)}
    />
  )
}
