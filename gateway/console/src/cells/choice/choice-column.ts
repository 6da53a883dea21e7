import type { ComponentType } from 'react'
import type { Column } from '../../api/resources'
import { columnName } from '../../formats/column'
import { choicesOf } from '../../formats/widget-options'
import { popup, type CellColumn } from '../editing/cell-type'
import type { EditorProps } from '../editing/text-editor'
import { ChipsCell } from './chips'

interface ChoiceRules {
  readonly label: string
  readonly choices: readonly string[]
}

/** Properties of the editors of choices. */
export type ChoiceEditorProps = EditorProps<ChoiceRules>

/** Returns the column options that choices and lists of choices have in common. */
export const choiceColumn = (
  column: Column,
  position: 'over' | 'under',
  cellEditor: ComponentType<ChoiceEditorProps>,
): CellColumn => ({
  cellRenderer: ChipsCell,
  cellEditor,
  ...popup(position),
  cellEditorParams: { label: columnName(column), choices: choicesOf(column) } satisfies ChoiceRules,
})
