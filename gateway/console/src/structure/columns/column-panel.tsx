import { useQuery } from '@tanstack/react-query'
import { useEffect, useState, type ReactNode } from 'react'
import { columnName, isComputed } from '../../formats/column'
import { columnsQuery, type Column } from '../../api/resources'
import { Button } from '../../components/button'
import { SidePanel } from '../../components/overlays/side-panel'
import { ErrorNote } from '../../components/states'
import { useKeptState } from '../../document-context/kept-edits'
import { useLeaveGuard } from '../../components/use-leave-guard'
import { useSubmit } from '../../components/use-submit'
import type { ValueColumn } from '../choices/choice-list'
import { ColumnForm, DescriptionField } from './column-form'
import { FormulaSection } from './formula-section'
import { useSaveColumn } from './use-save-column'
import { draftOf, isChoice, isRef, newDraft, typeOf, type ColumnDraft } from './column-types'

interface ColumnPanelProps {
  readonly docId: string
  readonly tableId: string
  /** The column to edit; undefined to add one. */
  readonly column?: Column
  /** True to begin with its formula. */
  readonly startsWithFormula?: boolean
  /** The rows in view, of which results of a formula are shown. */
  readonly rowIds: () => readonly number[]
  /** Called when there begins, or ceases, to be something that is not saved. */
  readonly onDirty: (isDirty: boolean) => void
  /** Called in place of going to another page while something is not saved, with what goes there. */
  readonly onLeavePage: (go: () => void) => void
  /** Called by the user who wants to close the panel. */
  readonly onLeave: () => void
  /** Called when everything is saved. */
  readonly onSaved: () => void
}

/** Adds a column to a table, or edits one, beside its rows. */
export function ColumnPanel(props: ColumnPanelProps): ReactNode {
  const { docId, tableId, startsWithFormula = false, rowIds, onDirty } = props
  const column = useCurrentId(props)
  const { initial, draft, setDraft } = useDraft(tableId, column)
  const { error, isBusy, handleSubmit } = useSubmit(useSaveColumn(props, draft), props.onSaved)
  const isDirty = JSON.stringify(draft) !== JSON.stringify(initial)
  useEffect(() => onDirty(isDirty), [onDirty, isDirty])
  useLeaveGuard(
    isDirty,
    column ? `the column “${columnName(column)}”` : 'the new column',
    props.onLeavePage,
  )
  const hasFormula = draft.source !== 'data'
  const isComplete =
    draft.label.trim() !== '' &&
    (!isRef(draft.type) || draft.refTable !== '') &&
    (!hasFormula || draft.formula.trim() !== '')
  return (
    <SidePanel
      title={column ? `Edit column “${columnName(column)}”` : `Add column to ${tableId}`}
      isWide={hasFormula}
      onClose={props.onLeave}
    >
      <form className="panel-form" onSubmit={handleSubmit}>
        <div className="panel-body">
          <ColumnForm
            docId={docId}
            draft={draft}
            onChange={setDraft}
            labelHint={
              column ? (
                <IdHint column={column} />
              ) : (
                'The column id used in the API is derived from it.'
              )
            }
            typeHint={changeNote(column, draft)}
            valueColumn={column && valuesOf(docId, tableId, column)}
          />
          {hasFormula && (
            <FormulaSection
              docId={docId}
              tableId={tableId}
              column={column}
              draft={draft}
              isFocused={startsWithFormula}
              rowIds={rowIds}
              onChange={setDraft}
            />
          )}
          <DescriptionField draft={draft} onChange={setDraft} />
        </div>
        <div className="panel-foot">
          <ErrorNote error={error} />
          <Button onClick={props.onLeave}>Cancel</Button>
          <Button type="submit" kind="primary" disabled={!isComplete} isBusy={isBusy}>
            {column ? 'Save' : 'Add column'}
          </Button>
        </div>
      </form>
    </SidePanel>
  )
}

/** The draft of a column, which is kept when someone else renames the table. */
function useDraft(tableId: string, column: Column | undefined) {
  const [initial] = useState(() => (column ? draftOf(column) : newDraft()))
  const [changed, setDraft] = useKeptState<ColumnDraft>(`column ${column?.fields.colRef}`, tableId)
  return { initial, draft: changed ?? initial, setDraft }
}

/** The column that is edited, with the id that it has now: someone else may have renamed it since. */
function useCurrentId({ docId, tableId, column }: ColumnPanelProps): Column | undefined {
  const { data = [] } = useQuery(columnsQuery(docId, tableId))
  const now = data.find(({ fields }) => fields.colRef === column?.fields.colRef)
  return column && now ? { ...column, id: now.id } : column
}

/** Types whose values are texts or numbers, or lists of them. */
const TEXTS = new Set(['Text', 'Choice', 'ChoiceList', 'Numeric', 'Int', 'Any'])

/** Returns a column whose values can become choices; undefined for another one. */
function valuesOf(docId: string, tableId: string, { id, fields }: Column): ValueColumn | undefined {
  if (!TEXTS.has(fields.type)) return undefined
  return { docId, tableId, colId: id, isConverted: !isChoice(fields.type) }
}

const CONVERSION_NOTE =
  'Existing values are converted. Values that cannot be converted are kept as text.'
const REPLACEMENT_NOTE = 'Existing values are replaced by the results of the formula.'

/** What a change does to the cells of a column. */
function changeNote(column: Column | undefined, draft: ColumnDraft): string | undefined {
  if (!column) return undefined
  if (draft.source === 'formula') return isComputed(column) ? undefined : REPLACEMENT_NOTE
  return typeOf(draft) === column.fields.type ? undefined : CONVERSION_NOTE
}

function IdHint({ column }: { readonly column: Column }): ReactNode {
  const { id, fields } = column
  return (
    <>
      Column id in the API: <code>{id}</code>
      {fields.untieColIdFromLabel ? '.' : '. Changing the name changes the id.'}
    </>
  )
}
