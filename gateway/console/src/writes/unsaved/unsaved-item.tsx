import type { MouseEvent, ReactNode } from 'react'
import type { Column } from '../../api/resources'
import { Button } from '../../components/button'
import { CopyText } from '../../components/copy-text'
import { focusBeside } from '../../components/focus-beside'
import { describeError } from '../../components/states'
import { formatCell } from '../../formats/cell'
import { columnName } from '../../formats/column'
import { formatValue } from '../../formats/value'
import { outbox, type TableDispute, type UnsavedTableCell } from '../outbox'
import { isUnknownTable } from '../table/write-errors'

/** Values that the user is asked whether to discard. */
export interface Discarding {
  readonly what: string
  readonly run: () => void
}

interface UnsavedItemProps {
  readonly cell: TableDispute | UnsavedTableCell
  /** The columns of the table; undefined while they are not known. */
  readonly columns: readonly Column[] | undefined
  readonly onDiscard: (discarding: Discarding) => void
}

/** An entered value that is not stored, and what can be done about it. */
export function UnsavedItem({ cell, columns, onDiscard }: UnsavedItemProps): ReactNode {
  const { docName, tableId, colId, colRef, place } = cell
  const dispute = 'id' in cell ? cell : undefined
  const column = columns?.find(({ id, fields }) =>
    colRef === undefined ? id === colId : fields.colRef === colRef,
  )
  const gone = goneOf(dispute, columns, column)
  const label = `${column ? columnName(column) : colId}, ${place}`
  const show = (value: unknown) => (column ? formatCell(value, column) : formatValue(value))
  const mine = show(cell.mine)
  const discard = () =>
    onDiscard({
      what: mine === '' ? `The empty cell ${label},` : `“${mine}” in ${label},`,
      run: () => (dispute ? outbox.decide([dispute], 'theirs') : outbox.discard(cell)),
    })
  return (
    <li>
      <p className="dispute-cell">
        {label} <span className="note">{`${docName} / ${tableId}`}</span>
      </p>
      <Reason dispute={dispute} gone={gone} />
      <dl>
        {dispute && !gone && (
          <>
            <dt>{dispute.error === undefined ? 'Theirs' : 'Saved'}</dt>
            <dd>{quote(show(dispute.theirs))}</dd>
          </>
        )}
        <dt>Mine</dt>
        <dd>{gone ? <CopyText label={`value of ${label}`} text={mine} /> : quote(mine)}</dd>
      </dl>
      <div className="dispute-choice" role="group" aria-label={label}>
        {dispute && !gone ? (
          <Choice dispute={dispute} onDiscard={discard} />
        ) : (
          <Button onClick={discard}>Discard</Button>
        )}
      </div>
    </li>
  )
}

const quote = (text: string): ReactNode => (text === '' ? <em>empty</em> : <q>{text}</q>)

/** Returns what was deleted with the cell, if anything. */
function goneOf(
  dispute: TableDispute | undefined,
  columns: readonly Column[] | undefined,
  column: Column | undefined,
): 'table' | 'column' | undefined {
  if (columns) return column ? undefined : 'column'
  return isUnknownTable(dispute?.error) ? 'table' : undefined
}

function Reason(props: {
  readonly dispute: TableDispute | undefined
  readonly gone: 'table' | 'column' | undefined
}): ReactNode {
  const { dispute, gone } = props
  if (gone)
    return (
      <p className="note error">
        {`The ${gone} was deleted. Copy the value if you still need it, then discard it.`}
      </p>
    )
  if (dispute?.error === undefined) return null
  return <p className="note error">{describeError(dispute.error)}</p>
}

function Choice(props: {
  readonly dispute: TableDispute
  readonly onDiscard: () => void
}): ReactNode {
  const { dispute, onDiscard } = props
  const keep =
    (choice: 'mine' | 'theirs') =>
    ({ currentTarget }: MouseEvent) => {
      focusBeside(currentTarget, '.dispute-choice button')
      outbox.decide([dispute], choice)
    }
  if (dispute.error === undefined)
    return (
      <>
        <Button onClick={keep('theirs')}>Keep theirs</Button>
        <Button onClick={keep('mine')}>Keep mine</Button>
      </>
    )
  return (
    <>
      <Button onClick={onDiscard}>Discard</Button>
      <Button onClick={keep('mine')}>Retry</Button>
    </>
  )
}
