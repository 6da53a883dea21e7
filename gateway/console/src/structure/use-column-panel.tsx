import { useCallback, useRef, useState, type ReactNode } from 'react'
import { flushSync } from 'react-dom'
import type { Column } from '../api/resources'
import type { CellContext } from '../cells/editing/cell-type'
import { ConfirmDialog } from '../components/dialog'
import { ColumnPanel } from './column-panel'

/** What the panel edits: a column, or a new one. */
interface Edited {
  readonly column?: Column
  readonly startsWithFormula?: boolean
}

/** The panel that adds and edits columns of a table. */
interface ColumnPanelState {
  /** Opens the panel, in place of what it shows. */
  readonly open: (edited: Edited) => void
  /** Closes the panel, after a question if there are edits. The same function each time. */
  readonly leave: () => void
  /** The panel, if it is open. */
  readonly panel: ReactNode
  /** Asks whether edits may be discarded, if there are any. */
  readonly question: ReactNode
}

/** The panel of a column. What is not saved is discarded only after the user has agreed. */
export function useColumnPanel(
  { docId, tableId }: CellContext,
  rowIds: () => readonly number[],
): ColumnPanelState {
  const [edited, setEdited] = useState<Edited>()
  /** What follows once the edits may be discarded. */
  const [following, setFollowing] = useState<{ readonly edited: Edited | undefined }>()
  const isDirty = useRef(false)
  const onDirty = useCallback((next: boolean) => {
    isDirty.current = next
  }, [])
  const show = (next: Edited | undefined) => {
    isDirty.current = false
    setEdited(next)
  }
  const change = (next: Edited | undefined) =>
    isDirty.current ? setFollowing({ edited: next }) : show(next)
  const leave = useCallback(() => {
    if (isDirty.current) setFollowing({ edited: undefined })
    else setEdited(undefined)
  }, [])
  return {
    open: change,
    leave,
    panel: edited && (
      <ColumnPanel
        key={edited.column?.fields.colRef ?? 'new'}
        docId={docId}
        tableId={tableId}
        column={edited.column}
        startsWithFormula={edited.startsWithFormula}
        rowIds={rowIds}
        onDirty={onDirty}
        onLeave={leave}
        onSaved={() => show(undefined)}
      />
    ),
    question: following && (
      <ConfirmDialog
        title="Discard changes?"
        confirm="Discard changes"
        onClose={() => setFollowing(undefined)}
        onConfirm={() => {
          // First, so that the focus returns to the panel, which passes it on.
          flushSync(() => setFollowing(undefined))
          show(following.edited)
          return Promise.resolve()
        }}
      >
        <p>The changes of this column are not saved.</p>
      </ConfirmDialog>
    ),
  }
}
