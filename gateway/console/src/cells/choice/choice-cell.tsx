import { useMemo, useState, type ReactNode } from 'react'
import { defineCellType, type CellType } from '../editing/cell-type'
import { PickList, type Option } from '../editing/pick-list'
import { formatValue } from '../../formats/value'
import { typedKey } from '../editing/text-editor'
import { choiceColumn, type ChoiceEditorProps } from './choice-column'
import { withChips } from './choice-options'
import { findChoices } from './choices'

const none: Option = { key: '', label: 'No choice', value: '' }

/** One of the choices of the column, or any other text. */
export const choiceCell: CellType = defineCellType({
  isValid: (value) => typeof value === 'string',
  column: (column) => choiceColumn(column, 'over', ChoiceEditor),
})

function ChoiceEditor(props: ChoiceEditorProps): ReactNode {
  const { label, choices, styles, initialValue, value, onValueChange, stopEditing } = props
  const [search, setSearch] = useState(typedKey(props.eventKey) ?? '')
  const present = formatValue(initialValue)
  const all = useMemo(
    () => (present === '' || choices.includes(present) ? choices : [...choices, present]),
    [choices, present],
  )
  const found = withChips(findChoices(all, search), styles)
  return (
    <PickList
      label={label}
      search={search}
      onSearch={setSearch}
      options={search === '' && present !== '' ? [...found, none] : found}
      picked={new Set([formatValue(value)])}
      onPick={(option) => onValueChange(option.key === present ? initialValue : option.value)}
      onDone={() => stopEditing()}
    />
  )
}
