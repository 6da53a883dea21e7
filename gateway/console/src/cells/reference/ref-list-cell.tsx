import type { ICellRendererParams } from 'ag-grid-community'
import { useState, type ReactNode } from 'react'
import type { Row } from '../../api/row'
import { columnName, defineKind, popup, type CellKind } from '../base/cell-type'
import { toggled } from '../choice/choices'
import { Chips } from '../base/chips'
import { PickList } from '../base/pick-list'
import type { RefRules } from './ref-cell'
import { useRefOptions } from './use-ref-options'
import { isSameValue, rowIds, showValue, toList } from '../../formats/value'
import { typedKey, type EditorProps } from '../base/text-editor'
import { useLabels, useLabelSource } from './use-labels'

/** So many labels of one cell are shown; there is no room for more. */
const MOST_SHOWN = 20

/** Rows of another table, shown by their labels. */
export const refListKind: CellKind = defineKind({
  fits: (value) => rowIds(value) !== undefined,
  own: (column, place) => {
    const rules: RefRules = { of: column, place }
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
  place,
}: ICellRendererParams<Row, unknown> & RefRules): ReactNode {
  const ids = rowIds(value)
  const source = useLabelSource(of, place)
  const labels = useLabels(source, (ids ?? []).slice(0, MOST_SHOWN))
  if (!ids) return showValue(value)
  const more = ids.length - labels.length
  return <Chips items={more > 0 ? [...labels, `+${more}`] : labels} />
}

function RefListEditor(props: EditorProps<RefRules>): ReactNode {
  const { of, place, initialValue, value, onValueChange, stopEditing } = props
  const [search, setSearch] = useState(typedKey(props.eventKey) ?? '')
  const { options, note, ...found } = useRefOptions(of, place, search)
  const ids = rowIds(value) ?? []
  const source = useLabelSource(of, place)
  const before = (rowIds(initialValue) ?? []).slice(0, MOST_SHOWN)
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
      // What is in the cell comes first, so that it can be taken out.
      options={search.trim() === '' ? [...present, ...others] : options}
      picked={new Set(ids.map(String))}
      isMulti
      note={typeof initialValue === 'string' ? `Now it is the text “${initialValue}”` : note}
      onPick={({ key }) => {
        const next = toList(toggled(ids, Number(key)))
        onValueChange(isSameValue(next, initialValue) ? initialValue : next)
      }}
      onDone={() => stopEditing()}
    />
  )
}
