import { columnType } from '../../values/column-types'
import { ATTACHMENTS } from '../attachments/attachments'
import { logValue, type LogValue } from '../log/log'
import { VIEWS_REF } from '../schema/metadata-tables'
import type { Column, Schema, Table } from '../schema/schema'
import { isComputed } from '../structure/column-cells'

/** A table at two moments, of which it exists in at least one. */
export interface TablePair {
  /** 0 for attachments, -2 for views. */
  readonly ref: number
  readonly before: Table | undefined
  readonly after: Table | undefined
}

/** A column that exists at the second moment, in a table that exists at both. */
export interface ColumnPair {
  /** Undefined for an added column. */
  readonly before: Column | undefined
  readonly after: Column
  /** What cells of an added column hold unless a change says otherwise. */
  readonly initial: LogValue
}

/** The tables of both moments by ref, preceded by the views and the attachments. */
export function pairTables(before: Schema, after: Schema): TablePair[] {
  const refs = new Set([...before.tables, ...after.tables].map(({ ref }) => ref))
  const pairs = [...refs]
    .sort((a, b) => a - b)
    .map((ref): TablePair => {
      return { ref, before: before.findByRef(ref), after: after.findByRef(ref) }
    })
  const attachments: TablePair = {
    ref: 0,
    before: before.getReadable(ATTACHMENTS),
    after: after.getReadable(ATTACHMENTS),
  }
  const views = { ref: VIEWS_REF, before: before.findViews(), after: after.findViews() }
  return [views, attachments, ...pairs]
}

/** The columns of the second moment, with their state at the first one. */
export function pairColumns(before: Table, after: Table): ColumnPair[] {
  const known = new Map(before.columns.map((column) => [keyOf(column), column]))
  return after.columns.map((column): ColumnPair => {
    return { before: known.get(keyOf(column)), after: column, initial: initialCell(column) }
  })
}

/** Identifies a column within its table. Columns of metadata tables have no refs, but never change. */
function keyOf({ ref, id }: Column): number | string {
  return ref === 0 ? id : ref
}

function initialCell(column: Column): LogValue {
  return isComputed(column) ? null : logValue(columnType(column.typeName).defaultValue)
}
