import { useMemo, useState, type ReactNode } from 'react'
import { columnName } from '../../formats/column'
import { defineCellType, popup, type CellType } from '../base/cell-type'
import { ChipsCell } from '../base/chips'
import { findChoices } from './choices'
import { PickList, type Option } from '../base/pick-list'
import { formatValue } from '../../formats/value'
import { typedKey, type EditorProps } from '../base/text-editor'
import { choicesOf } from '../../formats/widget-options'

interface ChoiceRules {
  readonly label: string
  readonly choices: readonly string[]
}

const none: Option = { key: '', label: 'No choice', value: '' }

/** One of the column's choices, or any other text. */
export const choiceCell: CellType = defineCellType({
  isValid: (value) => typeof value === 'string',
  column: (column) => ({
    cellRenderer: ChipsCell,
    cellEditor: ChoiceEditor,
    ...popup('over'),
    cellEditorParams: {
      label: columnName(column),
      choices: choicesOf(column),
    } satisfies ChoiceRules,
  }),
})

function ChoiceEditor(props: EditorProps<ChoiceRules>): ReactNode {
  const { label, choices, initialValue, value, onValueChange, stopEditing } = props
  const [search, setSearch] = useState(typedKey(props.eventKey) ?? '')
  const present = formatValue(initialValue)
  const all = useMemo(
    () => (present === '' || choices.includes(present) ? choices : [...choices, present]),
    [choices, present],
  )
  const found = findChoices(all, search)
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
