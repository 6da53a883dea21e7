import type { ColumnType } from '../column-type'
import { createTextType } from './text'

/** Text, usually one of the column's choices; other text is stored as well. */
export const choiceType: ColumnType = createTextType('Choice')
