import { anyKind } from './any-cell'
import { attachmentsKind } from './attachments/attachments-cell'
import { boolKind } from './bool-cell'
import type { CellKind } from './base/cell-type'
import { choiceKind } from './choice/choice-cell'
import { choiceListKind } from './choice/choice-list-cell'
import { dateKind } from './date/date-cell'
import { dateTimeKind } from './date/date-time-cell'
import { numberKind } from './number-cell'
import { refKind } from './reference/ref-cell'
import { refListKind } from './reference/ref-list-cell'
import { textKind } from './text-cell'

const kinds: ReadonlyMap<string, CellKind> = new Map([
  ['Text', textKind],
  ['Numeric', numberKind],
  ['Int', numberKind],
  ['Bool', boolKind],
  ['Date', dateKind],
  ['DateTime', dateTimeKind],
  ['Choice', choiceKind],
  ['ChoiceList', choiceListKind],
  ['Ref', refKind],
  ['RefList', refListKind],
  ['Attachments', attachmentsKind],
])

/** How cells of a column type such as `Text` or `Ref:People` look and are edited; a type that is unknown here holds anything. */
export function cellKind(type: string): CellKind {
  const [name = ''] = type.split(':')
  return kinds.get(name) ?? anyKind
}
