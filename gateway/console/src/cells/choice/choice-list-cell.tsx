import { useMemo, useState, type ReactNode } from 'react'
import { toggle } from '../../components/toggle'
import { columnName } from '../../formats/column'
import { defineCellType, popup, type CellType } from '../base/cell-type'
import { ChipsCell } from '../base/chips'
import { findChoices } from './choices'
import { PickList } from '../base/pick-list'
import { isSameValue, listItems, formatValue, toList } from '../../formats/value'
import { typedKey, type EditorProps } from '../base/text-editor'
import { choicesOf } from '../../formats/widget-options'

interface ChoiceListRules {
  readonly label: string
  readonly choices: readonly string[]
}

/** Some of the column's choices, or other texts. */
export const choiceListCell: CellType = defineCellType({
  isValid: (value) => listItems(value) !== undefined,
  column: (column) => ({
    cellRenderer: ChipsCell,
    cellEditor: ChoiceListEditor,
    ...popup('under'),
    cellEditorParams: {
      label: columnName(column),
      choices: choicesOf(column),
    } satisfies ChoiceListRules,
  }),
})

function ChoiceListEditor(props: EditorProps<ChoiceListRules>): ReactNode {
  const { label, choices, initialValue, value, onValueChange, stopEditing } = props
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
      options={findChoices([...all, ...added], search)}
      picked={new Set(items)}
      isMulti
      note={typeof initialValue === 'string' ? `Now it is the text “${initialValue}”` : undefined}
      onPick={({ key }) => {
        const next = toList(toggle(items, key))
        onValueChange(isSameValue(next, initialValue) ? initialValue : next)
      }}
      onDone={() => stopEditing()}
    />
  )
}
