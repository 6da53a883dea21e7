import { AppError } from '@sheaf/kit/errors'
import type {
  Column as WireColumn,
  ColumnFields,
  NewColumn as WireNewColumn,
} from '@sheaf/protos/sheaf/document_data/v1/columns'
import type { NewColumn } from '../store/columns'
import type { Column } from '../store/schema'

/** A column as it goes over the wire. */
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
 * A wished column. Its description and the tie of label and id cannot be given when it is made: clients rely on
 * their being ignored.
 * @param computed whether the column is computed when its fields do not say
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
      visibleCol: fields.visibleCol,
      recalcWhen: fields.recalcWhen,
      recalcDeps: refsFromWire(fields.recalcDepsJson, 'recalcDeps'),
      rules: refsFromWire(fields.rulesJson, 'rules'),
      position: fields.parentPos,
    },
  }
}

function noFields(): ColumnFields {
  return { type: undefined }
}

function refsToWire(stored: string | null): Buffer {
  if (stored === null) return Buffer.from('null')
  return Buffer.from(JSON.stringify(['L', ...(JSON.parse(stored) as number[])]))
}

function refsFromWire(json: Uint8Array | undefined, field: string): string | null {
  if (json === undefined || json.length === 0) return null
  const cell = readJson(json)
  if (cell === null) return null
  const [code, ...refs] = Array.isArray(cell) ? (cell as unknown[]) : []
  if (code !== 'L' || !refs.every((ref) => Number.isSafeInteger(ref)))
    throw new AppError('invalid', 'BAD_FIELD', `${field} must be null or a list of column refs`)
  return refs.length === 0 ? null : JSON.stringify(refs)
}

function readJson(json: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(json).toString()) as unknown
  } catch {
    return undefined
  }
}
