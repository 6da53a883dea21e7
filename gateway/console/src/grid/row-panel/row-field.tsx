import { useLayoutEffect, useRef, useState, type KeyboardEvent, type ReactNode } from 'react'
import type { Column, Row } from '../../api/resources'
import { isEditable, type CellContext } from '../../cells/editing/cell-type'
import { LateEntryContext, type EnterLate } from '../../cells/editing/late-entry'
import { CellEditor, CellView } from '../../cells/single-cell'
import { columnName, isComputed } from '../../formats/column'
import type { CellState } from '../../writes/table/writes-state'
import { stateNotes } from '../columns/cell-column'
import { computedState, FormulaMessage } from '../columns/formula-message'

/** Takes what is entered in a field. */
export interface FieldEntry {
  readonly enter: (value: unknown) => void
  readonly enterLate: EnterLate
}

interface RowFieldProps {
  readonly column: Column
  readonly context: CellContext
  /** The row with the values that were entered. */
  readonly row: Row
  readonly state: CellState | undefined
  /** Called when editing begins. */
  readonly onEdit: () => FieldEntry
}

/** A cell of a row with the name of its column, and its editor. */
export function RowField(props: RowFieldProps): ReactNode {
  const { column, context, row, state } = props
  const value = row.fields[column.id]
  const note = stateNotes[state ?? 'sending']
  return (
    <div className="row-field">
      <dt>
        {column.fields.formula !== '' && (
          <i aria-hidden="true">{isComputed(column) ? 'ƒ ' : 'ƒ* '}</i>
        )}
        {columnName(column)}
      </dt>
      <dd>
        <FieldValue {...props} value={value} />
        {isComputed(column) && computedState(value) !== undefined && (
          <p className="note error">
            <FormulaMessage context={context} column={column} row={row} />
          </p>
        )}
        {note !== undefined && <p className="note error">{note}</p>}
      </dd>
    </div>
  )
}

type FieldValueProps = RowFieldProps & { readonly value: unknown }

function FieldValue({ column, context, value, onEdit }: FieldValueProps): ReactNode {
  const [editing, setEditing] = useState<Editing>()
  const button = useRef<HTMLButtonElement>(null)
  const editor = useRef<HTMLDivElement>(null)
  const returnsFocus = useRef(false)
  useLayoutEffect(() => {
    if (!editing && returnsFocus.current) button.current?.focus()
    returnsFocus.current = false
  }, [editing])
  const cell = { column, context, value }
  const canEdit = isEditable(column, context)
  if (column.fields.type === 'Bool' && typeof value !== 'string' && !isComputed(column))
    return (
      <input
        type="checkbox"
        aria-label={columnName(column)}
        checked={value === true}
        disabled={!canEdit}
        onChange={({ target }) => onEdit().enter(target.checked)}
      />
    )
  const open = (eventKey: string | null) => setEditing({ eventKey, entry: onEdit() })
  const close = () => {
    // Unless the user has gone on to another part of the page.
    returnsFocus.current = editor.current?.contains(document.activeElement) === true
    setEditing(undefined)
  }
  if (editing)
    return (
      <div ref={editor} className="row-editor">
        <LateEntryContext value={() => editing.entry.enterLate}>
          <CellEditor
            {...cell}
            eventKey={editing.eventKey}
            onCancel={close}
            onDone={(next) => {
              editing.entry.enter(next)
              close()
            }}
          />
        </LateEntryContext>
      </div>
    )
  return (
    <div className={canEdit ? 'row-value editable' : 'row-value'}>
      {computedState(value) === undefined && <CellView {...cell} />}
      {canEdit && (
        <button
          ref={button}
          type="button"
          className="row-edit"
          aria-label={`Edit ${columnName(column)}`}
          onClick={() => open(null)}
          onKeyDown={(event) => {
            if (!isTyped(event)) return
            event.preventDefault()
            open(event.key)
          }}
        />
      )}
    </div>
  )
}

interface Editing {
  readonly eventKey: string | null
  readonly entry: FieldEntry
}

/** True for a character, which replaces the value. Space presses the button. */
const isTyped = ({ key, ctrlKey, altKey, metaKey }: KeyboardEvent): boolean =>
  [...key].length === 1 && key !== ' ' && !ctrlKey && !altKey && !metaKey
