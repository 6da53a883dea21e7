import type { ICellRendererParams } from 'ag-grid-community'
import { useState, type ReactNode } from 'react'
import { toggle } from '../../components/toggle'
import type { Row } from '../../api/resources'
import { columnName } from '../../formats/column'
import { defineCellType, popup, type CellType } from '../editing/cell-type'
import { Chips } from '../choice/chips'
import { PickList } from '../editing/pick-list'
import { isSameValue, rowIds, formatValue, toList } from '../../formats/value'
import { typedKey, type EditorProps } from '../editing/text-editor'
import type { RefRules } from './ref-cell'
import { useRefOptions } from './use-ref-options'
import { useLabels, useLabelSource } from './use-labels'

/** Maximum number of labels shown per cell. */
const MAX_SHOWN = 20

/** Lists of references to rows of another table, shown by label. */
export const refListCell: CellType = defineCellType({
  isValid: (value) => rowIds(value) !== undefined,
  column: (column, context) => {
    const rules: RefRules = { of: column, cellContext: context }
    return {
      cellRenderer: RefListCell,
      cellRendererParams: rules,
      cellEditor: RefListEditor,
      ...popup('under'),
      cellEditorParams: rules,
    }
  },
})

function RefListCell({
  value,
  of,
  cellContext,
}: ICellRendererParams<Row, unknown> & RefRules): ReactNode {
  const ids = rowIds(value)
  const source = useLabelSource(of, cellContext)
  const labels = useLabels(source, (ids ?? []).slice(0, MAX_SHOWN))
  if (!ids) return formatValue(value)
  const more = ids.length - labels.length
  return <Chips items={more > 0 ? [...labels, `+${more}`] : labels} />
}

function RefListEditor(props: EditorProps<RefRules>): ReactNode {
  const { of, cellContext, initialValue, value, onValueChange, stopEditing } = props
  const [search, setSearch] = useState(typedKey(props.eventKey) ?? '')
  const { options, note, ...found } = useRefOptions(of, cellContext, search)
  const ids = rowIds(value) ?? []
  const source = useLabelSource(of, cellContext)
  const before = (rowIds(initialValue) ?? []).slice(0, MAX_SHOWN)
  const labels = useLabels(source, before)
  const present = before.map((id, index) => ({
    key: String(id),
    label: labels[index] ?? `#${id}`,
    value: id,
  }))
  const others = options.filter((option) => !before.includes(Number(option.key)))
  return (
    <PickList
      {...found}
      label={columnName(of)}
      search={search}
      onSearch={setSearch}
      // The current values come first, so that they can be removed.
      options={search.trim() === '' ? [...present, ...others] : options}
      picked={new Set(ids.map(String))}
      isMulti
      note={typeof initialValue === 'string' ? `Current text: “${initialValue}”` : note}
      onPick={({ key }) => {
        const next = toList(toggle(ids, Number(key)))
        onValueChange(isSameValue(next, initialValue) ? initialValue : next)
      }}
      onDone={() => stopEditing()}
    />
  )
}
