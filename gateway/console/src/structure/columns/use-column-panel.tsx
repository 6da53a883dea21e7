import { useCallback, useRef, useState, type ReactNode } from 'react'
import { flushSync } from 'react-dom'
import type { Column } from '../../api/resources'
import type { CellContext } from '../../cells/editing/cell-type'
import { ConfirmDialog } from '../../components/overlays/dialog'
import { lazyComponent } from '../../components/lazy-component'
import { useKeptState } from '../../document-context/kept-edits'

const ColumnPanel = lazyComponent(async () => (await import('./column-panel')).ColumnPanel)

/** What the panel edits: a column, or a new one. */
interface Edited {
  readonly column?: Column
  readonly startsWithFormula?: boolean
}

/** What the panel shows next, or nothing, and the page that is opened then, if any. */
interface Following {
  readonly edited?: Edited
  readonly go?: () => void
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
  const [edited, setEdited] = useKeptState<Edited>('column panel', tableId)
  /** What follows once the edits may be discarded. */
  const [following, setFollowing] = useState<Following>()
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
    if (isDirty.current) setFollowing({})
    else setEdited(undefined)
  }, [setEdited])
  const leavePage = useCallback((go: () => void) => setFollowing({ go }), [])
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
        onLeavePage={leavePage}
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
          // At once, since pages are left without a question only when there is no edited column. Closed first, since
          // the panel of the same column would keep its edits.
          flushSync(() => show(undefined))
          if (following.edited) show(following.edited)
          following.go?.()
          return Promise.resolve()
        }}
      >
        <p>The changes of this column are not saved.</p>
      </ConfirmDialog>
    ),
  }
}
