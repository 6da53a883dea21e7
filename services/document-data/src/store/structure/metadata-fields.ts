import type { Cell } from '../../values/column-type'
import type { ColumnMetadata } from '../schema/column-metadata'
import type { TableChange } from './table-updates'

/*
 * Metadata of tables and columns as clients write them: as cells of `_grist_Tables` and
 * `_grist_Tables_column`, and as the fields of actions.
 */

/** Reads the value of a field; undefined when it does not fit the field. */
export type FieldReader<T> = (value: Cell) => T | undefined

type Readers<T> = { readonly [key in keyof T]-?: FieldReader<NonNullable<T[key]> | null> }

const text: FieldReader<string> = (value) => (typeof value === 'string' ? value : undefined)

const truth: FieldReader<boolean> = (value) =>
  typeof value === 'boolean' || value === 0 || value === 1 ? Boolean(value) : undefined

const ref: FieldReader<number> = (value) => (isRef(value) ? value : undefined)

/**
 * Reads a list of column refs as it is stored: from a list cell, from JSON text of one, or from JSON text of a plain list,
 * as Grist takes them in new columns. Undefined for anything else.
 */
export function readRefs(value: unknown): string | null | undefined {
  if (value === null || value === '') return null
  const isText = typeof value === 'string'
  const list = isText ? parseJson(value) : value
  if (isText && list === null) return null
  if (!Array.isArray(list)) return undefined
  const isCell = list[0] === 'L'
  const items: unknown[] = isCell ? list.slice(1) : list
  if ((!isText && !isCell) || !items.every(isRef)) return undefined
  return items.length === 0 ? null : JSON.stringify(items)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isRef(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

/** The changeable fields of a table. */
export const tableReaders: Readers<TableChange> = { tableId: text, onDemand: truth }

/** The changeable fields of a column. */
export const columnReaders: Readers<ColumnMetadata> = {
  colId: text,
  parentPos: (value) => (typeof value === 'number' && Number.isFinite(value) ? value : undefined),
  type: text,
  widgetOptions: text,
  isFormula: truth,
  formula: text,
  label: text,
  description: text,
  untieColIdFromLabel: truth,
  displayCol: ref,
  visibleCol: ref,
  rules: readRefs,
  recalcWhen: (value) => (value === 0 || value === 1 || value === 2 ? value : undefined),
  recalcDeps: readRefs,
}

/** The reader of a field; undefined for an unknown field. */
export function readerOf(
  readers: Readonly<Record<string, FieldReader<unknown>>>,
  field: string,
): FieldReader<unknown> | undefined {
  return Object.hasOwn(readers, field) ? readers[field] : undefined
}
