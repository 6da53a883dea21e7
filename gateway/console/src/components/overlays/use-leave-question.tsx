import { useCallback, useState, type ReactNode } from 'react'
import { useLeaveGuard } from '../use-leave-guard'
import { ConfirmDialog } from './dialog'

interface Edits {
  readonly isPresent: boolean
  /** What has the edits, as it is named in the middle of a sentence. */
  readonly name: string
  readonly discard: () => void
}

/** Asks before a page is left whose edits would be lost, and returns the question while it is open. */
export function useLeaveQuestion({ isPresent, name, discard }: Edits): ReactNode {
  const [go, setGo] = useState<{ readonly to: () => void }>()
  useLeaveGuard(
    isPresent,
    name,
    useCallback((to) => setGo({ to }), []),
  )
  if (!go) return null
  return (
    <ConfirmDialog
      title="Leave without saving?"
      confirm="Leave without saving"
      onClose={() => setGo(undefined)}
      onConfirm={() => {
        discard()
        // Once the edits are gone, nothing asks again.
        setTimeout(go.to)
        return Promise.resolve()
      }}
    >
      <p>The changes of {name} are not saved.</p>
    </ConfirmDialog>
  )
}
