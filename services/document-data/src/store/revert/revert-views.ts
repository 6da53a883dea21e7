import type { RowOperation } from '../log/log'
import { VIEWS } from '../schema/metadata-tables'
import {
  eraseViews,
  findSameName,
  insertViews,
  isSameView,
  loggedViews,
  readTableViews,
  readViews,
  recordViews,
  replaceViews,
  withLogged,
  type ViewRow,
} from '../views/view-rows'
import type { RevertContext } from './revert-context'

/** Removes added views, restores removed ones, and the former settings of changed ones, unless they have changed since. */
export function undoViews(context: RevertContext, operation: RowOperation): void {
  if (operation.kind === 'add_rows') undoAdded(context, operation)
  else if (operation.kind === 'remove_rows') undoRemoved(context, operation)
  else undoUpdated(context, operation)
}

function undoAdded({ doc, conflicts }: RevertContext, operation: RowOperation): void {
  const present = readViews(doc.connection, operation.rowIds)
  const added = loggedViews(operation, 'new')
  const changed = added.filter((view) => {
    const now = present.get(view.id)
    return !now || !isSameView(now, view)
  })
  if (changed.length > 0) return conflicts.addRows(VIEWS, idsOf(changed))
  eraseViews(doc.connection, operation.rowIds)
  recordViews(doc, added, [])
}

function undoRemoved(context: RevertContext, operation: RowOperation): void {
  const { doc, conflicts } = context
  const gone = loggedViews(operation, 'old')
  conflicts.addRows(VIEWS, readViews(doc.connection, operation.rowIds).keys())
  conflicts.addRows(VIEWS, idsOf(gone.filter(({ tableRef }) => !doc.schema.findByRef(tableRef))))
  if (!conflicts.none) return
  insertViews(doc.connection, gone)
  recordViews(doc, [], gone)
  checkNames(context, gone)
}

function undoUpdated(context: RevertContext, operation: RowOperation): void {
  const { doc, conflicts } = context
  const { rowIds } = operation
  const present = readViews(doc.connection, rowIds)
  const changed = rowIds.filter((id) => {
    const now = present.get(id)
    return !now || !isSameView(now, withLogged(now, operation, 'new'))
  })
  if (changed.length > 0) return conflicts.addRows(VIEWS, changed)
  const before = rowIds.flatMap((id) => present.get(id) ?? [])
  const restored = before.map((view) => withLogged(view, operation, 'old'))
  replaceViews(doc.connection, restored)
  recordViews(doc, before, restored)
  checkNames(context, restored)
}

/** Another view may have taken the name since. */
function checkNames({ doc, conflicts }: RevertContext, restored: readonly ViewRow[]): void {
  for (const tableRef of new Set(restored.map((view) => view.tableRef))) {
    const same = findSameName(readTableViews(doc.connection, tableRef))
    if (same) conflicts.addRows(VIEWS, [same.id])
  }
}

const idsOf = (views: readonly ViewRow[]) => views.map(({ id }) => id)
