import { AppError } from '@sheaf/kit/errors'
import { findNearMiss, type NearMiss } from '@sheaf/kit/near-miss'
import { shorten } from '@sheaf/kit/truncate-text'
import { nearColumn, type NamedColumns } from '../../query/table-shape'

/* Errors for names that a document does not have, with the name that was probably meant. Everybody who has a role on a
 * document may see all of its tables and columns. */

interface NamedTable {
  readonly tableId: string
}

/** The error for an unknown table. An invalid name is a different error than an unknown one. */
export function tableNotFound(
  tableId: string,
  tables: readonly NamedTable[],
  describe = (shown: string) => `Table not found "${shown}"`,
): AppError {
  const { hint, details } = nearTable(tableId, tables)
  const shown = shorten(tableId)
  if (!/^\w*$/.test(tableId)) {
    const message = `"${shown}" is not a valid table id${hint}`
    return new AppError('invalid', 'INVALID_IDENTIFIER', message, details)
  }
  return new AppError('not_found', 'TABLE_NOT_FOUND', `${describe(shown)}${hint}`, details)
}

/** The error for a column to change that does not exist. */
export function columnNotFound(colId: string, table: NamedColumns): AppError {
  const { hint, details } = nearColumn(colId, table)
  const message = `Column not found "${shorten(colId)}"${hint}`
  return new AppError('not_found', 'COLUMN_NOT_FOUND', message, details)
}

/** The error for cells of a column that does not exist. */
export function invalidColumn(colId: string, table: NamedColumns): AppError {
  const { hint, details } = nearColumn(colId, table)
  return new AppError(
    'invalid',
    'INVALID_COLUMN',
    `Invalid column "${shorten(colId)}"${hint}`,
    details,
  )
}

/** The table that an unknown id probably means. */
export function nearTable(tableId: string, tables: readonly NamedTable[]): NearMiss {
  return findNearMiss(
    tableId,
    tables.map((table) => table.tableId),
  )
}
