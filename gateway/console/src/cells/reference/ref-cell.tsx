import type { ICellRendererParams } from 'ag-grid-community'
import { useState, type ReactNode } from 'react'
import type { Column, Row } from '../../api/resources'
import { columnName } from '../../formats/column'
import { defineCellType, popup, type CellType, type CellContext } from '../editing/cell-type'
import { PickList, type Option } from '../editing/pick-list'
import { formatValue } from '../../formats/value'
import { typedKey, type EditorProps } from '../editing/text-editor'
import { useRefOptions } from './use-ref-options'
import { useLabels, useLabelSource } from './use-labels'

/** Properties of reference cells. */
export interface RefRules {
  readonly of: Column
  readonly cellContext: CellContext
}

/** References to rows of another table, shown by label. */
export const refCell: CellType = defineCellType({
  isValid: (value) => typeof value === 'number',
  column: (column, context) => {
    const rules: RefRules = { of: column, cellContext: context }
    return {
      cellRenderer: RefCell,
      cellRendererParams: rules,
      cellEditor: RefEditor,
      ...popup('over'),
      cellEditorParams: rules,
    }
  },
})

function RefCell({
  value,
  of,
  cellContext,
}: ICellRendererParams<Row, unknown> & RefRules): ReactNode {
  const source = useLabelSource(of, cellContext)
  const labels = useLabels(source, typeof value === 'number' && value !== 0 ? [value] : [])
  return typeof value === 'number' ? (labels[0] ?? '') : formatValue(value)
}

function RefEditor(props: EditorProps<RefRules>): ReactNode {
  const { of, cellContext, initialValue, value, onValueChange, stopEditing } = props
  const [search, setSearch] = useState(typedKey(props.eventKey) ?? '')
  const { options, ...found } = useRefOptions(of, cellContext, search)
  const isSet = initialValue !== 0 && initialValue !== null && initialValue !== undefined
  return (
    <PickList
      {...found}
      label={columnName(of)}
      search={search}
      onSearch={setSearch}
      options={withExtraOptions(options, search.trim(), isSet)}
      picked={new Set([String(value)])}
      onPick={(option) => onValueChange(option.value)}
      onDone={() => stopEditing()}
    />
  )
}

/** Adds options to clear the reference, or to enter text, which the API accepts as well. */
function withExtraOptions(
  options: readonly Option[],
  text: string,
  isSet: boolean,
): readonly Option[] {
  if (text !== '') return [...options, { key: 'text', label: `Use “${text}” as text`, value: text }]
  return isSet ? [...options, { key: '0', label: 'No reference', value: 0 }] : options
}
