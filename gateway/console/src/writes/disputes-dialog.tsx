import { useQueries } from '@tanstack/react-query'
import { useEffect, type ReactNode } from 'react'
import { columnsQuery, type Column } from '../api/resources'
import { Button } from '../components/button'
import { Dialog } from '../components/dialog'
import { describeError } from '../components/states'
import { formatCell } from '../formats/cell'
import { columnName } from '../formats/column'
import { formatValue } from '../formats/value'
import { outbox, type TableDispute } from './outbox'

/** Disputes shown at once; a paste may have hundreds. */
const MAX_SHOWN = 50

interface DisputesDialogProps {
  readonly disputes: readonly TableDispute[]
  readonly onClose: () => void
}

/** Asks which value to keep of each cell that somebody else has changed, or whose value was refused. Closes after the last. */
export function DisputesDialog({ disputes, onClose }: DisputesDialogProps): ReactNode {
  const shown = disputes.slice(0, MAX_SHOWN)
  const columns = useQueries({
    queries: shown.map(({ docId, tableId }) => columnsQuery(docId, tableId)),
    combine: (results) => results.map(({ data }) => data),
  })
  const isDone = disputes.length === 0
  useEffect(() => {
    if (isDone) onClose()
  }, [isDone, onClose])
  return (
    <Dialog title="Which values are to be kept?" isWide onClose={onClose}>
      <p>These cells were changed by someone else, or refused, while your values were not saved.</p>
      <ul className="disputes">
        {shown.map((dispute, at) => (
          <DisputeItem
            key={`${dispute.tableId} ${dispute.id}`}
            dispute={dispute}
            column={columns[at]?.find(({ id }) => id === dispute.colId)}
          />
        ))}
      </ul>
      {disputes.length > shown.length && (
        <p className="note">{`And ${disputes.length - shown.length} more.`}</p>
      )}
      <div className="dialog-foot">
        {disputes.length > 1 && (
          <>
            <Button onClick={() => outbox.decideAll('theirs')}>Keep all of theirs</Button>
            <Button onClick={() => outbox.decideAll('mine')}>Keep all of mine</Button>
          </>
        )}
        <Button onClick={onClose}>Decide later</Button>
      </div>
    </Dialog>
  )
}

function DisputeItem(props: {
  readonly dispute: TableDispute
  readonly column: Column | undefined
}): ReactNode {
  const { dispute, column } = props
  const { tableId, colId, place, mine, theirs, error, decide } = dispute
  const name = column ? columnName(column) : colId
  const show = (value: unknown) => (column ? formatCell(value, column) : formatValue(value))
  const value = (text: string) => (text === '' ? <em>empty</em> : <q>{text}</q>)
  const label = `${name}, ${place}`
  return (
    <li>
      <p className="dispute-cell">
        {label} <span className="note">{tableId}</span>
      </p>
      {error !== undefined && <p className="note error">{describeError(error)}</p>}
      <dl>
        <dt>{error === undefined ? 'Theirs' : 'Saved'}</dt>
        <dd>{value(show(theirs))}</dd>
        <dt>Mine</dt>
        <dd>{value(show(mine))}</dd>
      </dl>
      <div className="dispute-choice" role="group" aria-label={label}>
        <Button onClick={() => decide('theirs')}>
          {error === undefined ? 'Keep theirs' : 'Discard mine'}
        </Button>
        <Button onClick={() => decide('mine')}>
          {error === undefined ? 'Keep mine' : 'Send mine again'}
        </Button>
      </div>
    </li>
  )
}
