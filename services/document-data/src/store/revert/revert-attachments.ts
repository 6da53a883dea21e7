import { AppError } from '@sheaf/kit/errors'
import { quoteId } from '../../quoting/quote'
import { removeAttachments } from '../attachments/attachment-removal'
import { ATTACHMENTS } from '../attachments/attachments'
import type { RowOperation } from '../log/log'
import type { RevertContext } from './revert-context'

/** Maximum number of referring rows that a conflict names. */
const MAX_ROWS = 1000

/**
 * Removes uploaded attachments again, when no cell refers to them; other changes of attachments cannot be
 * undone.
 */
export function undoAttachments(context: RevertContext, { kind, rowIds }: RowOperation): void {
  const { doc, conflicts } = context
  if (kind !== 'add_rows')
    throw new AppError(
      'invalid',
      'NOT_REVERTIBLE',
      kind === 'remove_rows'
        ? 'the removal of attachments cannot be undone: their files were deleted'
        : 'changes of attachment usage cannot be undone',
    )
  const ids = JSON.stringify(rowIds)
  const there = new Set(
    doc.connection
      .pluck<number>(`SELECT id FROM ${ATTACHMENTS} WHERE id IN (SELECT value FROM json_each(?))`)
      .all(ids),
  )
  conflicts.addRows(
    ATTACHMENTS,
    rowIds.filter((id) => !there.has(id)),
  )
  for (const table of doc.schema.tables)
    for (const { id, type, isFormula } of table.columns)
      if (type.name === 'Attachments' && !isFormula)
        conflicts.addRows(table.tableId, findUse(context, table.tableId, id, ids))
  conflicts.requireNone()
  removeAttachments(doc, rowIds)
}

/** Rows whose cells refer to one of these attachments. */
function findUse({ doc }: RevertContext, tableId: string, colId: string, ids: string): number[] {
  const cell = quoteId(colId)
  // Text in cells never begins with a bracket, so a value that does is a list.
  return doc.connection
    .pluck<number>(
      `SELECT id FROM ${quoteId(tableId)}
       WHERE EXISTS (
         SELECT 1 FROM json_each(CASE WHEN ${cell} LIKE '[%' THEN ${cell} ELSE '[]' END) e
         WHERE e.value IN (SELECT value FROM json_each(?)))
       ORDER BY id LIMIT ${MAX_ROWS}`,
    )
    .all(ids)
}
