import { useEffect, useState, useSyncExternalStore, type ReactNode } from 'react'
import { Button } from '../components/button'
import { outbox, type OutboxState } from './outbox'
import { UnsavedDialog } from './unsaved-dialog'

const cells = (count: number): string =>
  count === 1 ? '1 cell' : `${count.toLocaleString()} cells`

const unsaved = (count: number): string => `${cells(count)} ${count === 1 ? 'is' : 'are'} not saved`

function describe({ waiting, disputes }: OutboxState): string {
  const parts: string[] = []
  if (waiting > 0) parts.push(`${unsaved(waiting)}, trying again…`)
  const count = disputes.length
  if (count > 0)
    parts.push(
      disputes.every(({ error }) => error !== undefined)
        ? `${cells(count)} could not be saved.`
        : `${unsaved(count)}: your decision is needed.`,
    )
  return parts.join(' ')
}

/** Counts, on each page of the console, the entered values that are not stored. */
export function UnsavedBanner(): ReactNode {
  const state = useSyncExternalStore(outbox.watchState, outbox.readState)
  const { waiting, disputes } = state
  const [isOpen, setOpen] = useState(false)
  useEffect(() => {
    const retry = () => outbox.retry()
    window.addEventListener('online', retry)
    return () => window.removeEventListener('online', retry)
  }, [])
  return (
    <div className={waiting > 0 || disputes.length > 0 ? 'unsaved' : 'unsaved none'}>
      <span role="status">{describe(state)}</span>
      {waiting > 0 && <Button onClick={() => outbox.retry()}>Try now</Button>}
      {disputes.length > 0 ? (
        <Button kind="primary" onClick={() => setOpen(true)}>
          Decide…
        </Button>
      ) : (
        waiting > 0 && <Button onClick={() => setOpen(true)}>Show…</Button>
      )}
      {isOpen && <UnsavedDialog state={state} onClose={() => setOpen(false)} />}
    </div>
  )
}
