import { useEffect, useId, useState, type ReactNode } from 'react'
import { Button } from '../../components/button'
import { ConfirmDialog, Dialog } from '../../components/overlays/dialog'
import { outbox, type OutboxState, type TableDispute, type UnsavedTableCell } from '../outbox'
import { UnsavedItem, type Discarding } from './unsaved-item'
import { useCellColumns } from './use-cell-columns'

/** Cells of each kind shown at once; a paste may have hundreds. */
const MAX_SHOWN = 50

interface UnsavedDialogProps {
  readonly state: OutboxState
  readonly onClose: () => void
}

/**
 * Lists the entered values that are not stored. Asks which value to keep of each cell that somebody else has changed, and whether to
 * send or discard the others. Closes after the last.
 */
export function UnsavedDialog({ state, onClose }: UnsavedDialogProps): ReactNode {
  const { waiting, disputes } = state
  const [discarding, setDiscarding] = useState<Discarding>()
  const changed = disputes.filter(({ error }) => error === undefined)
  const failed = disputes.filter(({ error }) => error !== undefined)
  const isDone = waiting === 0 && disputes.length === 0
  useEffect(() => {
    if (isDone) onClose()
  }, [isDone, onClose])
  const discardAll = (count: number, run: () => void) =>
    setDiscarding({ what: `All ${count.toLocaleString()} values`, run })
  return (
    <Dialog title="Unsaved values" isWide onClose={onClose}>
      <UnsavedSection
        title="Changed by someone else"
        note="Someone else changed these cells before your values were saved. Choose the values to keep."
        cells={changed}
        count={changed.length}
        onDiscard={setDiscarding}
      >
        <Button onClick={() => outbox.decide(changed, 'theirs')}>Keep all of theirs</Button>
        <Button onClick={() => outbox.decide(changed, 'mine')}>Keep all of mine</Button>
      </UnsavedSection>
      <UnsavedSection
        title="Could not be saved"
        note="Retry sends a value again; what you type in the cell replaces it."
        cells={failed}
        count={failed.length}
        onDiscard={setDiscarding}
      >
        <Button onClick={() => discardAll(failed.length, () => outbox.decide(failed, 'theirs'))}>
          Discard all
        </Button>
        <Button onClick={() => outbox.decide(failed, 'mine')}>Retry all</Button>
      </UnsavedSection>
      <UnsavedSection
        title="Waiting for the server"
        note="These values are sent again until the server answers."
        cells={outbox.listWaiting(MAX_SHOWN)}
        count={waiting}
        onDiscard={setDiscarding}
      >
        <Button onClick={() => discardAll(waiting, () => outbox.discard())}>Discard all</Button>
      </UnsavedSection>
      <div className="dialog-foot">
        <Button onClick={onClose}>{disputes.length > 0 ? 'Decide later' : 'Close'}</Button>
      </div>
      {discarding && (
        <ConfirmDialog
          title="Discard what you entered?"
          confirm="Discard"
          onConfirm={async () => discarding.run()}
          onClose={() => setDiscarding(undefined)}
        >
          <p>{`${discarding.what} will not be saved.`}</p>
        </ConfirmDialog>
      )}
    </Dialog>
  )
}

/** Identifies a cell in its section. Several values of a cell can be disputed. */
const keyOf = (cell: TableDispute | UnsavedTableCell): string => {
  const { docId, tableRef, tableId, rowId, colId } = cell
  return JSON.stringify([docId, tableRef ?? tableId, rowId, colId, 'id' in cell && cell.id])
}

interface UnsavedSectionProps {
  readonly title: string
  readonly note: string
  /** The first of them are shown. */
  readonly cells: readonly (TableDispute | UnsavedTableCell)[]
  /** Number of all cells. */
  readonly count: number
  readonly onDiscard: (discarding: Discarding) => void
  /** Buttons for all cells. */
  readonly children: ReactNode
}

function UnsavedSection(props: UnsavedSectionProps): ReactNode {
  const { title, note, cells, count, onDiscard, children } = props
  const shown = cells.slice(0, MAX_SHOWN)
  const columnsOf = useCellColumns(shown)
  const id = useId()
  if (count === 0) return null
  return (
    // Has the focus when the button that opened a question is gone.
    <section aria-labelledby={id} tabIndex={-1}>
      <h3 id={id}>{title}</h3>
      <p className="note">{note}</p>
      <ul className="disputes">
        {shown.map((cell) => (
          <UnsavedItem
            key={keyOf(cell)}
            cell={cell}
            columns={columnsOf(cell)}
            onDiscard={onDiscard}
          />
        ))}
      </ul>
      {count > shown.length && (
        <p className="note">{`And ${(count - shown.length).toLocaleString()} more.`}</p>
      )}
      {count > 1 && <div className="dispute-choice">{children}</div>}
    </section>
  )
}
