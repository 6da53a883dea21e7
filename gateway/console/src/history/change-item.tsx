import { useState, type ReactNode } from 'react'
import { Button } from '../components/button'
import { Time } from '../components/time'
import { useCurrentUser } from '../session/session-provider'
import { CellChanges } from './cell-changes'
import { authorOf, describeChange } from './describe-change'
import { isOfRows, type Change, type SchemaOperation } from './history-queries'
import { MetadataChanges } from './metadata-changes'

interface ChangeItemProps {
  readonly change: Change
  readonly onUndo: (change: Change) => void
}

const causeNames: Readonly<Partial<Record<Change['cause'], string>>> = {
  import: 'import',
  undo: 'undo',
  formula: 'formula',
}

/** A change: author, description and time; expanded, each cell before and after. */
export function ChangeItem({ change, onUndo }: ChangeItemProps): ReactNode {
  const { id } = useCurrentUser()
  const [isOpen, setOpen] = useState(false)
  const { seq, time, user, cause } = change
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
        {isOpen && <ChangeDetails change={change} />}
      </details>
      <Button aria-label={`Undo change ${seq}`} onClick={() => onUndo(change)}>
        Undo
      </Button>
    </li>
  )
}

function ChangeDetails({ change: { operations, truncated } }: Pick<ChangeItemProps, 'change'>) {
  const schema = operations.filter(
    (operation): operation is SchemaOperation => !isOfRows(operation),
  )
  return (
    <div className="change-body">
      <MetadataChanges operations={schema} />
      <CellChanges operations={operations} />
      {truncated && (
        <p className="note">
          This change is too large to show completely. The history of a row shows its part of it.
        </p>
      )}
      {operations.length === 0 && !truncated && <p className="note">No details.</p>}
    </div>
  )
}
