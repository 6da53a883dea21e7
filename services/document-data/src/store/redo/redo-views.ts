import type { DocumentWriter } from '../document'
import type { RowOperation } from '../log/log'
import {
  eraseViews,
  insertViews,
  loggedViews,
  readViews,
  replaceViews,
  withLogged,
} from '../views/view-rows'
import { RedoError } from './redo-error'

/** Adds, changes or removes views. */
export function redoViews({ connection }: DocumentWriter, operation: RowOperation): void {
  const { kind, rowIds } = operation
  if (kind === 'add_rows') return insertViews(connection, loggedViews(operation, 'new'))
  const present = [...readViews(connection, rowIds).values()]
  if (present.length !== rowIds.length) throw new RedoError(`${kind}: a view is missing`)
  if (kind === 'remove_rows') eraseViews(connection, rowIds)
  else
    replaceViews(
      connection,
      present.map((view) => withLogged(view, operation, 'new')),
    )
}
