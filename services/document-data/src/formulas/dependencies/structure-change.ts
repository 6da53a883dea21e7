import type { ColumnMetadata } from '../../store/schema/column-metadata'
import type { SchemaOperation } from '../../store/log/log'

/** What of the structure of a document a change concerns. */
export interface StructureChange {
  /** Refs of columns whose cells, type or name are others now. */
  readonly columns: readonly number[]
  /** Refs of tables that are gone. */
  readonly tables: readonly number[]
  /** Ref of a new table, all of whose columns are new. */
  readonly newTable?: number
  /** Ref of a table that has another name, which records of it have in their text. */
  readonly renamedTable?: number
  /** True when what is known of the columns is no longer valid. */
  readonly renews: boolean
  /** True when nothing but the name of a column is another one. */
  readonly isRename?: boolean
  /** True for a formula that contains one of the names that came or went. */
  readonly mentions: (formula: string) => boolean
}

/** Formulas that contain one of these may have a record of their own table, or the table, in their results. */
const SEES_OWN_TABLE = /\brec\b(?!\s*\.\s*[A-Za-z])|\b(?:table|eval|exec|locals|vars)\b/

/** True for a formula whose results may hold the name of its own table, although the formula does not. */
export function seesOwnTable(formula: string): boolean {
  return SEES_OWN_TABLE.test(formula)
}

/** Metadata of columns on which values depend. */
const VALUE_FIELDS = ['colId', 'type', 'isFormula', 'formula'] as const

/** What a change of tables or columns concerns; undefined when no formula can depend on it. */
export function changedStructure(operation: SchemaOperation): StructureChange | undefined {
  const { kind, columnRef, tableRef } = operation
  switch (kind) {
    case 'add_table':
    case 'update_table':
      return {
        ...(kind === 'add_table' && { newTable: tableRef }),
        ...(isTableRename(operation) && { renamedTable: tableRef }),
        columns: [],
        tables: [],
        renews: false,
        mentions: mentionOf([operation.table, nameIn(operation.new, 'tableId')]),
      }
    case 'remove_table':
      return {
        columns: [],
        tables: [tableRef],
        renews: false,
        mentions: mentionOf([operation.table]),
      }
    case 'add_column':
    case 'remove_column':
      return {
        columns: [columnRef],
        tables: [],
        renews: true,
        mentions: mentionOf([operation.column]),
      }
    case 'update_column':
      return changedColumn(operation)
  }
}

function changedColumn(operation: SchemaOperation): StructureChange | undefined {
  const after = (operation.new ?? {}) as Partial<ColumnMetadata>
  const changed = VALUE_FIELDS.filter((field) => after[field] !== undefined)
  if (changed.length === 0) return undefined
  const names = after.colId === undefined ? [] : [operation.column, after.colId]
  return {
    columns: [operation.columnRef],
    tables: [],
    renews: changed.some((field) => field !== 'colId'),
    isRename: changed.every((field) => field === 'colId'),
    mentions: mentionOf(names),
  }
}

function isTableRename({ kind, table, new: after }: SchemaOperation): boolean {
  return kind === 'update_table' && nameIn(after, 'tableId') !== table
}

function nameIn(metadata: object | undefined, field: string): string {
  const name = (metadata as Record<string, unknown> | undefined)?.[field]
  return typeof name === 'string' ? name : ''
}

/** Ids consist of letters, digits and underscores. */
function mentionOf(names: readonly string[]): (formula: string) => boolean {
  const ids = new Set(names.filter((name) => name !== ''))
  if (ids.size === 0) return () => false
  return (formula) => (formula.match(/\w+/g) ?? []).some((word) => ids.has(word))
}
