import { useMemo, useState, type ReactNode } from 'react'
import { toggle } from '../../components/toggle'
import { defineCellType, type CellType } from '../editing/cell-type'
import { PickList } from '../editing/pick-list'
import { isSameValue, listItems, formatValue, toList } from '../../formats/value'
import { typedKey } from '../editing/text-editor'
import { choiceColumn, type ChoiceEditorProps } from './choice-column'
import { withChips } from './choice-options'
import { findChoices } from './choices'

/** Any of the choices of the column, or other texts. */
export const choiceListCell: CellType = defineCellType({
  isValid: (value) => listItems(value) !== undefined,
  column: (column) => choiceColumn(column, 'under', ChoiceListEditor),
})

function ChoiceListEditor(props: ChoiceEditorProps): ReactNode {
  const { label, choices, styles, initialValue, value, onValueChange, stopEditing } = props
  const [search, setSearch] = useState(typedKey(props.eventKey) ?? '')
  const items = (listItems(value) ?? []).map(formatValue)
  const before = useMemo(() => (listItems(initialValue) ?? []).map(formatValue), [initialValue])
  const all = useMemo(() => [...new Set([...choices, ...before])], [choices, before])
  const added = items.filter((item) => !all.includes(item))
  return (
    <PickList
      label={label}
      search={search}
      onSearch={setSearch}
      options={withChips(findChoices([...all, ...added], search), styles)}
      picked={new Set(items)}
      isMulti
      note={typeof initialValue === 'string' ? `Current text: “${initialValue}”` : undefined}
      onPick={({ key }) => {
        const next = toList(toggle(items, key))
        onValueChange(isSameValue(next, initialValue) ? initialValue : next)
      }}
      onDone={() => stopEditing()}
    />
  )
}
