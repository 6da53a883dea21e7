import { AppError } from '@sheaf/kit/errors'
import { findNearMiss, type NearMiss } from '@sheaf/kit/near-miss'
import { shorten } from '@sheaf/kit/truncate-text'
import type { ServerCall } from '@sheaf/auth/server-call'
import type { Column } from '@sheaf/protos/sheaf/document_data/v1/columns'
import type { ListTablesResponse, Table } from '@sheaf/protos/sheaf/document_data/v1/tables'
import { isOutdated, type DocumentCalls } from '../document-calls'
import type { WebhookChange } from './webhook-fields'

/** The table and columns of a webhook by refs, which renames do not affect. */
export interface TableRefs {
  /** Null when the table was deleted. */
  readonly tableRef: number | null
  readonly readyRef: number | null
  readonly watchedRefs: readonly number[]
}

/** The same by names, as of one moment. */
export interface TableNames {
  readonly tableId: string | null
  readonly readyColumn: string | null
  readonly watchedColumns: string[]
}

const nowhere: TableRefs = { tableRef: null, readyRef: null, watchedRefs: [] }

/** The tables of a document with their names as of one moment. */
export class DocumentTables {
  /** Seq of the latest log entry at that moment. */
  readonly seq: number
  private readonly tables: readonly Table[]

  constructor({ tables, seq }: Pick<ListTablesResponse, 'tables' | 'seq'>) {
    this.tables = tables
    this.seq = seq
  }

  /**
   * Returns the refs of a webhook after a change. With another table, columns that are not named again are
   * cleared. Throws AppError `not_found` for an unknown table or column.
   */
  resolve(change: WebhookChange, before = nowhere): TableRefs {
    const { tableId, readyColumn, watchedColumns } = change
    const table = tableId === undefined ? this.findTable(before.tableRef) : this.getTable(tableId)
    const tableRef = table?.tableRef ?? null
    const stay = tableRef === before.tableRef ? before : nowhere
    const readyRef = (name: string) => getColumn(table, name, 'isReadyColumn').colRef
    const watchedRef = (name: string) => getColumn(table, name, 'watchedColIds').colRef
    return {
      tableRef,
      readyRef:
        readyColumn === undefined
          ? stay.readyRef
          : readyColumn === ''
            ? null
            : readyRef(readyColumn),
      watchedRefs:
        watchedColumns === undefined
          ? stay.watchedRefs
          : [...new Set(watchedColumns.map(watchedRef))],
    }
  }

  /** Returns the refs without those of deleted columns. */
  keep({ tableRef, readyRef, watchedRefs }: TableRefs): TableRefs {
    const refs = new Set(this.findTable(tableRef)?.columns.map(({ colRef }) => colRef))
    return {
      tableRef,
      readyRef: readyRef !== null && refs.has(readyRef) ? readyRef : null,
      watchedRefs: watchedRefs.filter((ref) => refs.has(ref)),
    }
  }

  /** Returns names for refs; deleted ones are omitted. */
  name({ tableRef, readyRef, watchedRefs }: TableRefs): TableNames {
    const table = this.findTable(tableRef)
    const names = new Map(table?.columns.map(({ colRef, id }) => [colRef, id]))
    return {
      tableId: table?.id ?? null,
      readyColumn: (readyRef !== null && names.get(readyRef)) || null,
      watchedColumns: watchedRefs.flatMap((ref) => names.get(ref) ?? []),
    }
  }

  /** Returns the column ids of a table; empty when it was deleted. */
  listColumns(tableRef: number | null): string[] {
    return this.findTable(tableRef)?.columns.map(({ id }) => id) ?? []
  }

  private findTable(ref: number | null): Table | undefined {
    return this.tables.find(({ tableRef }) => tableRef === ref)
  }

  /** By id, or by ref in decimal: no id begins with a digit. */
  private getTable(name: string): Table {
    const table = this.tables.find(({ id, tableRef }) => id === name || String(tableRef) === name)
    if (table) return table
    const ids = this.tables.map(({ id }) => id)
    throw notFound('Table', { name, field: 'tableId' }, findNearMiss(name, ids))
  }
}

/** Returns the column that a field of a webhook names. */
function getColumn(table: Table | undefined, name: string, field: string): Column {
  const column = table?.columns.find(({ id }) => id === name)
  if (column) return column
  const ids = table?.columns.map(({ id }) => id) ?? []
  throw notFound('Column', { name, field }, findNearMiss(name, ids))
}

function notFound(
  noun: 'Table' | 'Column',
  { name, field }: { readonly name: string; readonly field: string },
  { hint, details }: NearMiss,
): AppError {
  const reason = noun === 'Table' ? 'TABLE_NOT_FOUND' : 'COLUMN_NOT_FOUND'
  const message = `${noun} not found "${shorten(name)}"${hint}`
  return new AppError('not_found', reason, message, { field, ...details })
}

/**
 * Reads the tables of a document from document-data. Throws AppError: `unavailable` when it is unreachable.
 */
export async function readTables(
  calls: Pick<DocumentCalls, 'run'>,
  docId: string,
  { deadline, signal, requestId }: Pick<ServerCall, 'deadline' | 'signal' | 'requestId'>,
): Promise<DocumentTables> {
  const ask = () =>
    calls.run(docId, ({ tables }, { token }) =>
      tables.listTables({ docId, withColumns: true }, { token, deadline, signal, requestId }),
    )
  const found = await ask().catch((error: unknown) => {
    if (!isOutdated(error)) throw error
    return ask()
  })
  return new DocumentTables(found)
}
