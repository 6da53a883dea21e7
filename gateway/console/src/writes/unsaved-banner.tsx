import { useEffect, useState, useSyncExternalStore, type ReactNode } from 'react'
import { Button } from '../components/button'
import { DisputesDialog } from './disputes-dialog'
import { outbox } from './outbox'

const cells = (count: number): string =>
  count === 1 ? '1 cell is' : `${count.toLocaleString()} cells are`

/** Counts, on each page of the console, the entered values that are not stored. */
export function UnsavedBanner(): ReactNode {
  const { waiting, disputes } = useSyncExternalStore(outbox.watchState, outbox.readState)
  const [isOpen, setOpen] = useState(false)
  useEffect(() => {
    const retry = () => outbox.retry()
    window.addEventListener('online', retry)
    return () => window.removeEventListener('online', retry)
  }, [])
  return (
    <div className={waiting > 0 || disputes.length > 0 ? 'unsaved' : 'unsaved none'}>
      <span role="status">
        {waiting > 0 && `${cells(waiting)} not saved, trying again…`}
        {waiting > 0 && disputes.length > 0 && ' '}
        {disputes.length > 0 && `${cells(disputes.length)} not saved: your decision is needed.`}
      </span>
      {waiting > 0 && <Button onClick={() => outbox.retry()}>Try now</Button>}
      {disputes.length > 0 && (
        <Button kind="primary" onClick={() => setOpen(true)}>
          Decide…
        </Button>
      )}
      {isOpen && <DisputesDialog disputes={disputes} onClose={() => setOpen(false)} />}
    </div>
  )
}
