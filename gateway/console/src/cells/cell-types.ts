import { attachmentsCell } from './attachments/attachments-cell'
import type { CellType } from './editing/cell-type'
import { boolCell } from './bool-cell'
import { choiceCell } from './choice/choice-cell'
import { choiceListCell } from './choice/choice-list-cell'
import { dateCell, dateTimeCell } from './date/date-cells'
import { refCell } from './reference/ref-cell'
import { refListCell } from './reference/ref-list-cell'
import { anyCell, numberCell, textCell } from './text-cells'

const cellTypes: ReadonlyMap<string, CellType> = new Map([
  ['Text', textCell],
  ['Numeric', numberCell],
  ['Int', numberCell],
  ['Bool', boolCell],
  ['Date', dateCell],
  ['DateTime', dateTimeCell],
  ['Choice', choiceCell],
  ['ChoiceList', choiceListCell],
  ['Ref', refCell],
  ['RefList', refListCell],
  ['Attachments', attachmentsCell],
])

/**
 * Returns the cell type for a column type such as `Text` or `Ref:People`. Unknown column types can hold any
 * value.
 */
export function cellTypeOf(type: string): CellType {
  const [name = ''] = type.split(':')
  return cellTypes.get(name) ?? anyCell
}
