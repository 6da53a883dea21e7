import { AppError } from '@sheaf/kit/errors'
import { shorten } from '@sheaf/kit/truncate-text'
import { columnType } from '../../values/column-types'
import type { Targets } from '../log/log'
import type { Schema } from './schema'

/** Id of the table that columns of this type refer to. */
export function targetOf(typeName: string): string | undefined {
  const { name, argument } = columnType(typeName)
  return name === 'Ref' || name === 'RefList' ? argument : undefined
}

/** Refs of the tables that columns of these types refer to; undefined when none of them exists. */
export function targetsOf(schema: Schema, typeNames: readonly string[]): Targets | undefined {
  const targets: Record<string, number> = {}
  for (const typeName of typeNames) {
    const tableId = targetOf(typeName)
    const table = tableId === undefined ? undefined : schema.find(tableId)
    if (table && table.tableId === tableId) targets[table.tableId] = table.ref
  }
  return Object.keys(targets).length > 0 ? targets : undefined
}

/**
 * Throws AppError `invalid` (UNKNOWN_COLUMN_TYPE) for a column whose type, where one is given, refers to a table
 * that does not exist.
 */
export function requireTargets(
  schema: Schema,
  columns: readonly { readonly id: string; readonly type: string | undefined }[],
): void {
  for (const { id, type } of columns) {
    const tableId = type === undefined ? undefined : targetOf(type)
    if (tableId === undefined || schema.find(tableId)?.tableId === tableId) continue
    throw new AppError(
      'invalid',
      'UNKNOWN_COLUMN_TYPE',
      `column "${shorten(id)}": the type "${shorten(type ?? '')}" refers to a table that does not exist`,
      { field: 'type' },
    )
  }
}

/**
 * An earlier type in current terms: the table that it referred to may have been renamed. Undefined when the
 * table is gone.
 */
export function currentType(
  schema: Schema,
  typeName: string,
  targets: Targets | undefined,
): string | undefined {
  const tableId = targetOf(typeName)
  const isKnown = tableId !== undefined && targets !== undefined && Object.hasOwn(targets, tableId)
  const ref = isKnown ? targets[tableId] : undefined
  if (ref === undefined) return typeName
  const table = schema.findByRef(ref)
  return table && `${columnType(typeName).name}:${table.tableId}`
}
