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
    label: z
      .union([text, z.number()])
      .nullish()
      .meta({ type: 'string' })
      .describe('Label; default: the id'),
    formula: text.nullish().describe('Formula of the column'),
    isFormula: z.boolean().nullish().describe('Whether the values come from the formula'),
    widgetOptions: text.nullish().meta({ description: 'Display options as JSON text' }),
    visibleCol: z.int().nullish().meta({
      description: 'Ref of the column of the referenced table to display instead of the row id',
    }),
    description: text.nullish().describe('Description for readers'),
    untieColIdFromLabel: z
      .boolean()
      .nullish()
      .describe('Whether the id stays when the label changes'),
    recalcWhen: z.int().nullish().describe('When a trigger formula is evaluated'),
    recalcDeps: cell.optional(),
    rules: cell.optional(),
    parentPos: z.number().nullish().meta({ description: 'Position; `_position` is an alias' }),
    _position: z.number().nullish().describe('Same as `parentPos`'),
  })
  .meta({ id: 'NewColumnFields', description: 'Fields of a column to add' })

/** A column to add. */
export const newColumn = z
  .object({
    id: text.nullish().meta({
      description:
        'Requested id, adjusted to a valid and unused one; absent for the next free letter',
    }),
    fields: newColumnFields.optional(),
  })
  .meta({ id: 'NewColumn', description: 'Column to add' })

/** Columns to add. */
export const newColumns = z.object({
  columns: listOf(newColumn, columnBounds).describe('Columns to add, in order'),
})

const ref = (description: string) => z.int().min(0).optional().meta({ description })

/** Fields of a column that can be changed. Read-only refs are accepted with their current value. */
const columnChangeFields = z
  .looseObject({
    colId: text.optional().meta({
      description:
        'New id, adjusted to a valid and unused one; takes precedence over the id derived from a new label',
    }),
    type: text.optional().describe('Column type; values are converted to it'),
    label: z.union([text, z.number()]).optional().meta({
      type: 'string',
      description: 'Label; a new label also changes the id, unless `untieColIdFromLabel` is true',
    }),
    formula: text.optional().describe('Formula of the column'),
    isFormula: z.boolean().optional().describe('Whether the values come from the formula'),
    widgetOptions: text.optional().meta({ description: 'Display options as JSON text' }),
    description: text.optional().describe('Description for readers'),
    untieColIdFromLabel: z
      .boolean()
      .optional()
      .describe('Whether the id stays when the label changes'),
    displayCol: ref('Ref of the column that holds display values'),
    visibleCol: ref('Ref of the column of the referenced table to display'),
    recalcWhen: z.int().optional().describe('When a trigger formula is evaluated'),
    recalcDeps: cell.optional(),
    rules: cell.optional(),
    parentPos: z.number().optional().meta({ description: 'Position; `_position` is an alias' }),
    _position: z.number().optional().describe('Same as `parentPos`'),
    colRef: ref('Read-only; must be the current value if given'),
    parentId: ref('Read-only; must be the current value if given'),
    summarySourceCol: ref('Read-only; must be the current value if given'),
    reverseCol: ref('Read-only; must be the current value if given'),
  })
  .meta({
    id: 'ColumnChangeFields',
    description: 'Fields of a column to change; absent fields keep their value',
  })

/** Changes of a column by its id. */
const columnUpdate = z
  .object({ id: text.describe('Id of the column'), fields: columnChangeFields })
  .meta({ id: 'ColumnUpdate', description: 'Changes of a column' })

/** Changes of columns, or columns to add. */
export const columnUpdates = z.object({
  columns: listOf(columnUpdate, columnBounds).describe('Columns to change'),
})

/** Ids of the added columns. */
export const columnIds = z.object({
  columns: z
    .array(z.object({ id: z.string().describe('Id of the column') }))
    .describe('Added columns, in request order'),
})

/** A column with its metadata. */
export const column = z
  .object({
    id: z.string().describe('Id of the column'),
    fields: z
      .object({
        colRef: z.int().describe('Row id of the column in `_grist_Tables_column`'),
        parentId: z.int().describe('Row id of the table in `_grist_Tables`'),
        parentPos: z.number().describe('Position among the columns of the table'),
        type: z.string().describe('Column type'),
        widgetOptions: z.string().describe('Display options as JSON text'),
        isFormula: z.boolean().describe('Whether the values come from the formula'),
        formula: z.string().describe('Formula; empty for a column without one'),
        label: z.string().describe('Label'),
        description: z.string().describe('Description for readers'),
        untieColIdFromLabel: z.boolean().describe('Whether the id stays when the label changes'),
        summarySourceCol: z.int().describe('Ref of the summarized column; 0 for none'),
        displayCol: z.int().describe('Ref of the column that holds display values; 0 for none'),
        visibleCol: z
          .int()
          .describe('Ref of the column of the referenced table to display; 0 for the row id'),
        rules: cell,
        recalcWhen: z.int().describe('When a trigger formula is evaluated'),
        recalcDeps: cell,
        reverseCol: z.int().describe('Ref of the reverse reference column; 0 for none'),
      })
      .describe('Metadata of the column'),
  })
  .meta({ id: 'Column', description: 'Column of a table' })

/** Columns of a table. */
export const columns = z.object({
  columns: z.array(column).describe('Columns of the table, in order'),
})

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
