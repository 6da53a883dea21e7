import { AppError } from '@sheaf/kit/errors'
import { findNearMiss } from '@sheaf/kit/near-miss'
import { shorten } from '@sheaf/kit/truncate-text'
import type {
  Column as WireColumn,
  ColumnFields as WireFields,
  ColumnUpdate as WireUpdate,
  NewColumn as WireNewColumn,
} from '@sheaf/protos/sheaf/document_data/v1/columns'
import { z } from 'zod'
import { listOf } from './list'
import { text } from './text'

/** Columns in one request: the maximum number of columns of a SQLite table. */
export const columnBounds = { min: 1, max: 2_000 }

const cell = z.unknown().meta({ description: 'Null, or a list of column refs as `["L", 1, 2]`' })

/** Metadata of a new column. Absent and null fields take their default; unknown fields are ignored. */
const newColumnFields = z
  .object({
    type: text.nullish().meta({
      description:
        'Column type: `Text`, `Numeric`, `Int`, `Bool`, `Date`, `DateTime:<time zone>`, `Choice`, `ChoiceList`, `Ref:<table id>`, `RefList:<table id>`, `Attachments` or `Any` (default)',
      example: 'Int',
    }),
    label: z.union([text, z.number()]).nullish().meta({ type: 'string' }),
    formula: text.nullish(),
    isFormula: z.boolean().nullish(),
    widgetOptions: text.nullish().meta({ description: 'Display options as JSON text' }),
    visibleCol: z.int().nullish().meta({
      description: 'Ref of the column of the referenced table to display instead of the row id',
    }),
    description: text.nullish(),
    untieColIdFromLabel: z.boolean().nullish(),
    recalcWhen: z.int().nullish(),
    recalcDeps: cell.optional(),
    rules: cell.optional(),
    parentPos: z.number().nullish().meta({ description: 'Position; `_position` is an alias' }),
    _position: z.number().nullish(),
  })
  .meta({ id: 'NewColumnFields' })

/** A column to add. */
export const newColumn = z
  .object({
    id: text.nullish().meta({
      description:
        'Requested id, adjusted to a valid and unused one; absent for the next free letter',
    }),
    fields: newColumnFields.optional(),
  })
  .meta({ id: 'NewColumn' })

/** Columns to add. */
export const newColumns = z.object({ columns: listOf(newColumn, columnBounds) })

const ref = (description: string) => z.int().min(0).optional().meta({ description })

/** Fields of a column that can be changed. Read-only refs are accepted with their current value. */
const columnChangeFields = z
  .looseObject({
    colId: text.optional().meta({
      description:
        'New id, adjusted to a valid and unused one; takes precedence over the id derived from a new label',
    }),
    type: text.optional(),
    label: z.union([text, z.number()]).optional().meta({
      type: 'string',
      description: 'Label; a new label also changes the id, unless `untieColIdFromLabel` is true',
    }),
    formula: text.optional(),
    isFormula: z.boolean().optional(),
    widgetOptions: text.optional().meta({ description: 'Display options as JSON text' }),
    description: text.optional(),
    untieColIdFromLabel: z.boolean().optional(),
    displayCol: ref('Ref of the column that holds display values'),
    visibleCol: ref('Ref of the column of the referenced table to display'),
    recalcWhen: z.int().optional(),
    recalcDeps: cell.optional(),
    rules: cell.optional(),
    parentPos: z.number().optional().meta({ description: 'Position; `_position` is an alias' }),
    _position: z.number().optional(),
    colRef: ref('Read-only; must be the current value if given'),
    parentId: ref('Read-only; must be the current value if given'),
    summarySourceCol: ref('Read-only; must be the current value if given'),
    reverseCol: ref('Read-only; must be the current value if given'),
  })
  .meta({ id: 'ColumnChangeFields' })

/** Changes of a column by its id. */
const columnUpdate = z.object({ id: text, fields: columnChangeFields }).meta({ id: 'ColumnUpdate' })

/** Changes of columns, or columns to add. */
export const columnUpdates = z.object({ columns: listOf(columnUpdate, columnBounds) })

/** Ids of the added columns. */
export const columnIds = z.object({ columns: z.array(z.object({ id: z.string() })) })

/** A column with its metadata. */
export const column = z
  .object({
    id: z.string(),
    fields: z.object({
      colRef: z.int(),
      parentId: z.int(),
      parentPos: z.number(),
      type: z.string(),
      widgetOptions: z.string(),
      isFormula: z.boolean(),
      formula: z.string(),
      label: z.string(),
      description: z.string(),
      untieColIdFromLabel: z.boolean(),
      summarySourceCol: z.int(),
      displayCol: z.int(),
      visibleCol: z.int(),
      rules: cell,
      recalcWhen: z.int(),
      recalcDeps: cell,
      reverseCol: z.int(),
    }),
  })
  .meta({ id: 'Column' })

/** Columns of a table. */
export const columns = z.object({ columns: z.array(column) })

/** Converts a new column for document-data. */
export function toWireNewColumn({ id, fields }: z.output<typeof newColumn>): WireNewColumn {
  return { id: id ?? '', fields: toWireFields(fields ?? {}) }
}

/** Converts a change of a column for document-data. Throws `invalid` for an unknown field. */
export function toWireUpdate({ id, fields }: z.output<typeof columnUpdate>): WireUpdate {
  requireKnown(fields, columnChangeFields.shape)
  return {
    id,
    fields: {
      ...toWireFields(fields),
      colId: fields.colId,
      displayCol: fields.displayCol,
      recalcDepsJson: toCellJson(fields.recalcDeps),
      rulesJson: toCellJson(fields.rules),
    },
    colRef: fields.colRef,
    tableRef: fields.parentId,
    summarySourceCol: fields.summarySourceCol,
    reverseCol: fields.reverseCol,
  }
}

/** Throws `invalid` for a field that the metadata does not have. */
export function requireKnown(fields: object, known: object): void {
  const unknown = Object.keys(fields).find((name) => !Object.hasOwn(known, name))
  if (unknown === undefined) return
  const { hint, details } = findNearMiss(unknown, Object.keys(known))
  const message = `Invalid column "${shorten(unknown)}"${hint}`
  throw new AppError('invalid', 'INVALID_COLUMN', message, details)
}

/** Throws `invalid` unless all items of an update set the same fields, as existing clients expect. */
export function requireSameFields(items: readonly { readonly fields: object }[]): void {
  const [first, ...others] = items.map(({ fields }) => Object.keys(fields).sort().join('\0'))
  if (others.some((names) => names !== first))
    throw new AppError('invalid', 'FIELDS_DIFFER', 'PATCH requires all records to have same fields')
}

function toWireFields(fields: z.output<typeof newColumnFields>): WireFields {
  const { label, recalcDeps, rules, _position, parentPos } = fields
  return {
    type: given(fields.type),
    label: given(label)?.toString(),
    formula: given(fields.formula),
    isFormula: given(fields.isFormula),
    widgetOptions: given(fields.widgetOptions),
    visibleCol: given(fields.visibleCol),
    description: given(fields.description),
    untieColIdFromLabel: given(fields.untieColIdFromLabel),
    recalcWhen: given(fields.recalcWhen),
    recalcDepsJson: toJson(recalcDeps),
    rulesJson: toJson(rules),
    parentPos: given(parentPos ?? _position),
  }
}

const given = <T>(value: T | null | undefined): T | undefined => value ?? undefined

const toJson = (value: unknown) =>
  value === undefined || value === null ? undefined : Buffer.from(JSON.stringify(value))

/** As `toJson`, with null as a value. */
const toCellJson = (value: unknown) =>
  value === undefined ? undefined : Buffer.from(JSON.stringify(value))

const fromJson = (bytes: Uint8Array | undefined): unknown =>
  bytes === undefined || bytes.length === 0 ? null : JSON.parse(Buffer.from(bytes).toString('utf8'))

/** Converts a column to its JSON. */
export function toColumn(wire: WireColumn): z.output<typeof column> {
  const { id, colRef, tableRef, displayCol, summarySourceCol, reverseCol } = wire
  const fields: Partial<WireFields> = wire.fields ?? {}
  return {
    id,
    fields: {
      colRef,
      parentId: tableRef,
      parentPos: fields.parentPos ?? 0,
      type: fields.type ?? 'Any',
      widgetOptions: fields.widgetOptions ?? '',
      isFormula: fields.isFormula ?? false,
      formula: fields.formula ?? '',
      label: fields.label ?? '',
      description: fields.description ?? '',
      untieColIdFromLabel: fields.untieColIdFromLabel ?? false,
      summarySourceCol,
      displayCol,
      visibleCol: fields.visibleCol ?? 0,
      rules: fromJson(fields.rulesJson),
      recalcWhen: fields.recalcWhen ?? 0,
      recalcDeps: fromJson(fields.recalcDepsJson),
      reverseCol,
    },
  }
}
