import { headsOf, toStandard, type HeaderStyle } from './delimited'
import {
  DATE_FORMAT,
  showColumns,
  type ExportedDocument,
  type ExportedTable,
  type ShownColumn,
} from './display'
import { strptimePattern } from './date-format'
import { numberFormat, type NumberStyle } from './number-style'

/** Format of the values of a field, in terms of the standard. */
interface FieldForm {
  readonly type: 'string' | 'number' | 'integer' | 'boolean' | 'date' | 'datetime' | 'array'
  readonly format?: string
  readonly constraints?: {
    readonly required?: true
    readonly unique?: true
    readonly enum?: readonly string[]
  }
  readonly [hint: string]: unknown
}

/** A field of a Table Schema. */
interface SchemaField extends FieldForm {
  readonly name: string
}

/** A CSV file as described by the Table Schema standard. */
export interface TableSchema {
  readonly name: string
  readonly title: string
  readonly format: 'csv'
  readonly mediatype: 'text/csv'
  readonly encoding: 'utf-8'
  readonly path: string
  readonly dialect: { readonly delimiter: ','; readonly doubleQuote: true }
  readonly schema: {
    readonly fields: readonly SchemaField[]
    readonly primaryKey?: readonly string[]
  }
}

/** Parameters of the described file. */
export interface SchemaForm {
  readonly header: HeaderStyle
  /** True if the lines begin with the row id. */
  readonly rowIds: boolean
  /** URL of the file. */
  readonly path: string
}

/**
 * Describes the CSV file of a table so that readers of the standard can parse every value. Field descriptions
 * match the standard format of `delimited.ts`.
 */
export function describeTable(
  document: ExportedDocument,
  table: ExportedTable,
  { header, rowIds, path }: SchemaForm,
): TableSchema {
  const columns = showColumns(document, table).map(toStandard)
  const heads = headsOf(columns, header)
  const fields = columns.map((column, i) => ({ name: heads[i] ?? column.id, ...fieldOf(column) }))
  return {
    name: table.tableId.toLowerCase().replaceAll('_', '-'),
    title: table.tableId,
    format: 'csv',
    mediatype: 'text/csv',
    encoding: 'utf-8',
    path,
    dialect: { delimiter: ',', doubleQuote: true },
    schema: rowIds ? { fields: [rowIdField, ...fields], primaryKey: ['id'] } : { fields },
  }
}

const rowIdField: SchemaField = {
  name: 'id',
  type: 'integer',
  constraints: { required: true, unique: true },
}

function fieldOf({ type, display, choices }: ShownColumn): FieldForm {
  switch (display.as) {
    case 'int':
      return { type: 'integer' }
    case 'number':
      return numberField(display.style)
    case 'bool':
      // The CSV has `false` for an empty cell.
      return {
        type: 'boolean',
        trueValues: ['true'],
        falseValues: ['false'],
        constraints: { required: true },
      }
    case 'date':
    case 'dateTime':
      return timeField(display.as === 'date' ? 'date' : 'datetime', display.format)
    case 'listJson':
      return { type: 'array' }
    default: {
      const isChoice = type.name === 'Choice' && choices !== undefined && choices.length > 0
      const constraints = isChoice ? { constraints: { enum: [...new Set(choices)] } } : {}
      return { type: 'string', format: 'default', ...constraints }
    }
  }
}

/** Dates in a format without an equivalent pattern in the standard are described as text. */
function timeField(type: 'date' | 'datetime', format: string): FieldForm {
  const gristFormat = format
  if (format === DATE_FORMAT) return { type, format: 'default', gristFormat }
  const pattern = strptimePattern(format)
  return pattern === undefined
    ? { type: 'string', format: 'default', gristFormat }
    : { type, format: pattern, gristFormat }
}

/** Numbers with signs or digits that readers could not parse are described as text. */
function numberField(style: NumberStyle | undefined): FieldForm {
  if (!style) return { type: 'number', bareNumber: true, decimalChar: '.' }
  const part: Record<string, string> = {}
  for (const { type, value } of numberFormat(style).formatToParts(-1234567.5)) part[type] ??= value
  if (!isReadable(style, part)) return { type: 'string', format: 'default' }
  const isBare = part.currency === undefined && part.percentSign === undefined
  return {
    type: 'number',
    bareNumber: isBare,
    decimalChar: part.decimal ?? '.',
    ...(part.group === undefined ? {} : { groupChar: part.group }),
  }
}

function isReadable({ parentheses }: NumberStyle, part: Readonly<Record<string, string>>): boolean {
  if (parentheses || part.minusSign !== '-') return false
  return /^[0-9]+$/.test(part.integer ?? '') && (part.exponentSeparator ?? 'E') === 'E'
}
