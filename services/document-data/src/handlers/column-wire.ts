import { AppError } from '@sheaf/kit/errors'
import type {
  Column as WireColumn,
  ColumnFields,
  ColumnUpdate as WireColumnUpdate,
  NewColumn as WireNewColumn,
} from '@sheaf/protos/sheaf/document_data/v1/columns'
import { readRefs } from '../store/structure/metadata-fields'
import type { ColumnChange } from '../store/structure/column-changes'
import type { NewColumn } from '../store/structure/columns'
import type { Column, Table } from '../store/schema/schema'

/** Converts a column to its protobuf message. */
export function columnToWire(column: Column, tableRef: number): WireColumn {
  const { id, ref, displayCol, summarySourceCol, reverseCol } = column
  return {
    id,
    colRef: ref,
    tableRef,
    displayCol,
    summarySourceCol,
    reverseCol,
    fields: {
      type: column.typeName,
      label: column.label,
      formula: column.formula,
      isFormula: column.isFormula,
      widgetOptions: column.widgetOptions,
      visibleCol: column.visibleCol,
      description: column.description,
      untieColIdFromLabel: column.untieColIdFromLabel,
      recalcWhen: column.recalcWhen,
      recalcDepsJson: refsToWire(column.recalcDeps),
      rulesJson: refsToWire(column.rules),
      parentPos: column.position,
    },
  }
}

/**
 * Reads a column to create. Throws `invalid` for a field out of bounds.
 * @param computed whether the column is computed if its fields do not say
 */
export function columnFromWire(
  { id, fields = noFields() }: WireNewColumn,
  computed: (fields: ColumnFields) => boolean,
): NewColumn {
  return {
    id,
    fields: {
      type: fields.type,
      label: fields.label,
      formula: fields.formula,
      isFormula: fields.isFormula ?? computed(fields),
      widgetOptions: fields.widgetOptions,
      visibleCol: readRef(fields.visibleCol, 'visibleCol'),
      description: fields.description,
      untieColIdFromLabel: fields.untieColIdFromLabel,
      recalcWhen: readRecalcWhen(fields.recalcWhen),
      recalcDeps: refsFromWire(fields.recalcDepsJson, 'recalcDeps'),
      rules: refsFromWire(fields.rulesJson, 'rules'),
      position: readPosition(fields.parentPos),
    },
  }
}

/** The type that a request gives a column; undefined when it gives none. */
export function typeOf({ id, fields }: WireNewColumn): {
  readonly id: string
  readonly type: string | undefined
} {
  return { id, type: fields?.type }
}

/** Reads the changes to a column. Throws `invalid` for a field out of bounds. */
export function changeFromWire({ fields = noFields() }: WireColumnUpdate): ColumnChange {
  return {
    colId: fields.colId,
    parentPos: readPosition(fields.parentPos),
    type: fields.type,
    widgetOptions: fields.widgetOptions,
    isFormula: fields.isFormula,
    formula: fields.formula,
    label: fields.label,
    description: fields.description,
    untieColIdFromLabel: fields.untieColIdFromLabel,
    displayCol: readRef(fields.displayCol, 'displayCol'),
    visibleCol: readRef(fields.visibleCol, 'visibleCol'),
    rules: refsFromWire(fields.rulesJson, 'rules'),
    recalcWhen: readRecalcWhen(fields.recalcWhen),
    recalcDeps: refsFromWire(fields.recalcDepsJson, 'recalcDeps'),
  }
}

/** Throws `invalid` if an update specifies refs other than those of the column, which are immutable. */
export function requireSameRefs(table: Table, update: WireColumnUpdate): void {
  const column = table.byId.get(update.id)
  if (!column) return
  requireSame(`column "${update.id}"`, {
    colRef: [update.colRef, column.ref],
    parentId: [update.tableRef, table.ref],
    summarySourceCol: [update.summarySourceCol, column.summarySourceCol],
    reverseCol: [update.reverseCol, column.reverseCol],
  })
}

/** Throws `invalid` for a given value that differs from the current one. */
export function requireSame(
  what: string,
  fields: Readonly<Record<string, readonly [given: number | undefined, is: number]>>,
): void {
  for (const [field, [given, is]] of Object.entries(fields))
    if (given !== undefined && given !== is)
      throw new AppError('invalid', 'READ_ONLY_FIELD', `${field} of ${what} cannot be changed`)
}

function readRecalcWhen(value: number | undefined): number | undefined {
  if (value === undefined || value === 0 || value === 1 || value === 2) return value
  throw new AppError('invalid', 'BAD_FIELD', 'recalcWhen must be 0, 1 or 2')
}

function readRef(value: number | undefined, field: string): number | undefined {
  if (value === undefined || (Number.isSafeInteger(value) && value >= 0)) return value
  throw new AppError('invalid', 'BAD_FIELD', `${field} must be a column ref or 0`)
}

function readPosition(value: number | undefined): number | undefined {
  if (value === undefined || Number.isFinite(value)) return value
  throw new AppError('invalid', 'BAD_FIELD', 'parentPos must be a finite number')
}

function noFields(): ColumnFields {
  return { type: undefined }
}

function refsToWire(stored: string | null): Buffer {
  if (stored === null) return Buffer.from('null')
  return Buffer.from(JSON.stringify(['L', ...(JSON.parse(stored) as number[])]))
}

function refsFromWire(json: Uint8Array | undefined, field: string): string | null | undefined {
  if (json === undefined || json.length === 0) return undefined
  const refs = readRefs(readJson(json))
  if (refs === undefined)
    throw new AppError('invalid', 'BAD_FIELD', `${field} must be null or a list of column refs`)
  return refs
}

function readJson(json: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(json).toString()) as unknown
  } catch {
    return undefined
  }
}
