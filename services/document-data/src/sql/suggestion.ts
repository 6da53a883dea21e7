import { AppError, toAppError } from '@sheaf/kit/errors'
import { findNearMiss } from '@sheaf/kit/near-miss'
import type { Schema, Table } from '../store/schema/schema'
import { nearTable } from '../store/schema/unknown-names'

const UNKNOWN_NAME = /no such (table|column): (.+)$/

/**
 * Adds the name that was probably meant to the error of a statement that names an unknown table or column, which for the
 * rowid of a covered table is its id; returns any other error unchanged.
 */
export function withSuggestion(error: unknown, readSchema: () => Schema): unknown {
  const refused = toAppError(error)
  if (refused?.reason !== 'INVALID_SQL') return error
  const [, kind, name = ''] = UNKNOWN_NAME.exec(refused.message) ?? []
  if (kind === undefined) return error
  if (/(^|\.)(rowid|oid|_rowid_)$/i.test(name))
    return new AppError(
      refused.code,
      refused.reason,
      `${refused.message}; use id`,
      refused.metadata,
    )
  const { tables } = readSchema()
  const { hint, details } =
    kind === 'table'
      ? nearTable(name, tables)
      : // SQLite names at most an alias, so the column may be of any table.
        findNearMiss(name.slice(name.lastIndexOf('.') + 1), visibleColumns(tables))
  return new AppError(refused.code, refused.reason, refused.message + hint, {
    ...refused.metadata,
    ...details,
  })
}

function* visibleColumns(tables: readonly Table[]): Generator<string> {
  for (const { columns } of tables) for (const { id, hidden } of columns) if (!hidden) yield id
}
