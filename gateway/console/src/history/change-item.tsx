import type { SchemaOperation } from '@sheaf/client'
import { useState, type ReactNode } from 'react'
import { Link } from 'react-router'
import { Button } from '../components/button'
import { Time } from '../components/time'
import { tableRefUrl, useDocumentContext } from '../document-context/document-context'
import { useCurrentUser } from '../session/session-provider'
import { CellChanges } from './cell-changes'
import { onlyRow } from './changed-cells'
import { authorOf, describeChange, isWholeImport } from './describe-change'
import { isOfRows, type Change } from './history-queries'
import { MetadataChanges } from './metadata-changes'
import { useNamedView, useRowLabel } from './use-names'

interface ChangeItemProps {
  readonly change: Change
  /** True for the latest change, whose moment is the present. */
  readonly isLatest: boolean
  readonly onUndo: (change: Change) => void
}

const causeNames: Readonly<Partial<Record<Change['cause'], string>>> = {
  import: 'import',
  undo: 'undo',
  formula: 'formula',
}

/** A change: author, description and time; expanded, each cell before and after. */
export function ChangeItem({ change, isLatest, onUndo }: ChangeItemProps): ReactNode {
  const { docId } = useDocumentContext()
  const { id } = useCurrentUser()
  const [isOpen, setOpen] = useState(false)
  const { seq, time, user, cause, operations } = change
  const row = onlyRow(operations)
  const { label } = useRowLabel(row, operations)
  const { name, table } = useNamedView(row, operations)
  const subject = label === '' ? name : label
  const causeName = causeNames[cause]
  return (
    <li className="change">
      <details
        className="change-main"
        onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
      >
        <summary>
          <span>
            <strong title={user?.email ?? undefined}>{authorOf(change, id)}</strong>{' '}
            {describeChange(change)}
            {subject !== '' && `: ${subject}`}
          </span>
          <span className="note">
            <Time at={time} /> · change {seq.toLocaleString()}
            {causeName !== undefined && (
              <>
                {' '}
                <span className="badge">{causeName}</span>
              </>
            )}
          </span>
        </summary>
        {isOpen && <ChangeDetails name={`change ${seq}`} change={change} />}
      </details>
      <div className="change-actions">
        {!isLatest && (
          <Link
            className="button"
            to={tableRefUrl(docId, firstTableOf(change) ?? table?.fields.tableRef, seq)}
            aria-label={`View at this moment: change ${seq}`}
          >
            View at this moment
          </Link>
        )}
        {!isWholeImport(change) && (
          <Button aria-label={`Undo change ${seq}`} onClick={() => onUndo(change)}>
            Undo
          </Button>
        )}
      </div>
    </li>
  )
}

/** The ref of the first table that a change affects; undefined if it affects none, or only views. */
const firstTableOf = ({ operations }: Change): number | undefined =>
  operations.find(({ tableRef }) => tableRef > 0)?.tableRef

interface ChangeDetailsProps {
  /** Names the change among others. */
  readonly name: string
  readonly change: Pick<Change, 'operations' | 'truncated'>
}

/** Each property and cell of a change, before and after. */
export function ChangeDetails({
  name,
  change: { operations, truncated },
}: ChangeDetailsProps): ReactNode {
  const schema = operations.filter(
    (operation): operation is SchemaOperation => !isOfRows(operation),
  )
  return (
    <div className="change-body">
      <MetadataChanges name={name} operations={schema} />
      <CellChanges name={name} operations={operations} />
      {truncated && (
        <p className="note">
          This change is too large to show completely. The history of a row shows its part of it.
        </p>
      )}
      {operations.length === 0 && !truncated && <p className="note">No details.</p>}
    </div>
  )
}
