import type { ColumnType } from '../column-type'
import { referencesJsonSql } from '../list-storage'
import { idListType } from './ref-list'

/** Lists of attachment ids. Text is never parsed, and the existence of attachments is not checked. */
export const attachmentsType: ColumnType = {
  ...idListType,
  name: 'Attachments',
  argument: '_grist_Attachments',
  typedJsonSql: referencesJsonSql('_grist_Attachments'),
}
