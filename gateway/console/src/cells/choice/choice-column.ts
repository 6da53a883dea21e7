import type { ComponentType } from 'react'
import type { Column } from '../../api/resources'
import { columnName } from '../../formats/column'
import { choiceStyles } from '../../formats/choice-style'
import { choicesOf, widgetOptions } from '../../formats/widget-options'
import { popup, type CellColumn } from '../editing/cell-type'
import type { EditorProps } from '../editing/text-editor'
import { ChipsCell, type ChipStyles } from './chips'

interface ChoiceRules {
  readonly label: string
  readonly choices: readonly string[]
  readonly styles: ChipStyles
}

/** Properties of the editors of choices. */
export type ChoiceEditorProps = EditorProps<ChoiceRules>

/** Returns the column options that choices and lists of choices have in common. */
export const choiceColumn = (
  column: Column,
  position: 'over' | 'under',
  cellEditor: ComponentType<ChoiceEditorProps>,
): CellColumn => {
  const styles = choiceStyles(widgetOptions(column))
  const rules: ChoiceRules = { label: columnName(column), choices: choicesOf(column), styles }
  return {
    cellRenderer: ChipsCell,
    cellRendererParams: { styles },
    cellEditor,
    ...popup(position),
    cellEditorParams: rules,
  }
}
