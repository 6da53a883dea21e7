import type { Row } from '../../api/resources'
import type { GroupHeader } from './group-layout'

/** The header of a group in place of a row of a view. */
export interface GroupRow extends Row {
  readonly header: GroupHeader
}

/** Returns true for the header of a group. */
export const isGroupRow = (row: Row | undefined): row is GroupRow =>
  row !== undefined && 'header' in row

/** Returns the header of a group as a row, whose id no row has. */
export const groupRow = (header: GroupHeader, index: number): GroupRow => ({
  id: -1 - index,
  fields: {},
  header,
})
