import type { ColumnType } from '../column-type'
import { createTextType } from './text'

/** Text that is usually one of the column's choices; others are kept as well. */
export const choiceType: ColumnType = createTextType('Choice')
