import { AppError, toAppError } from '@sheaf/kit/errors'
import {
  PreviewImportResponse,
  type AppendTarget as WireTarget,
  type ImportColumnType,
  type ImportOptions as WireOptions,
} from '@sheaf/protos/sheaf/document_data/v1/import'
import { badTarget, targetColumns, type AppendTarget } from '../import/append-target'
import type { Previewed } from '../import/import-file'
import type { ChosenTypes, DecimalSeparator, ImportOptions } from '../import/import-options'
import type { DocumentReader } from '../store/document'
import { columnType } from '../values/column-types'

const ENCODINGS = new Set([
  ...['utf-8', 'utf-16le', 'utf-16be', 'windows-1250', 'windows-1251', 'windows-1252'],
  ...['windows-1253', 'windows-1254', 'iso-8859-2', 'iso-8859-15', 'macintosh', 'koi8-r'],
  ...['shift_jis', 'euc-jp', 'euc-kr', 'gbk', 'gb18030', 'big5'],
])
const TYPES = new Set([
  ...['Text', 'Numeric', 'Int', 'Bool', 'Date', 'DateTime', 'Choice', 'ChoiceList', 'Any'],
])
/** Columns whose types can be chosen. */
const MAX_TYPES = 20_000

/** The options of an import. Throws `invalid`, naming the option, for one that does not exist. */
export function readImportOptions(given: WireOptions | undefined): ImportOptions {
  if (!given) return {}
  requireValid(given)
  const { delimiter, hasHeader, decimal, encoding, types } = given
  return {
    ...(delimiter !== '' && { delimiter }),
    ...(hasHeader !== undefined && { hasHeader }),
    ...(decimal !== '' && { decimal: decimal as DecimalSeparator }),
    ...(encoding !== '' && { encoding }),
    ...(types.length > 0 && { types: readTypes(types) }),
  }
}

function requireValid({ delimiter, decimal, encoding }: WireOptions): void {
  if (!/^(?:[^"\r\n\p{L}\p{N}]|)$/u.test(delimiter))
    throw badOption('delimiter', 'must be one character other than a letter, a digit or a quote')
  if (decimal !== '' && decimal !== '.' && decimal !== ',')
    throw badOption('decimal', 'must be "." or ","')
  if (encoding !== '' && !ENCODINGS.has(encoding))
    throw badOption('encoding', `must be one of ${[...ENCODINGS].join(', ')}`)
}

function readTypes(given: readonly ImportColumnType[]): ChosenTypes {
  if (given.length > MAX_TYPES)
    throw badOption('types', `must not have more than ${MAX_TYPES} columns`)
  const types = new Map<string, Map<string, string>>()
  for (const { tableId, columnId, type } of given) {
    if (!TYPES.has(typeName(type)))
      throw badOption('types', `must only contain the types ${[...TYPES].join(', ')}`)
    const columns = types.get(tableId) ?? new Map<string, string>()
    columns.set(columnId, type)
    types.set(tableId, columns)
  }
  return types
}

/** The name of a chosen type. Throws `invalid`, naming the option, for an unknown type. */
function typeName(type: string): string {
  try {
    return columnType(type).name
  } catch (error) {
    const known = toAppError(error)
    if (!known) throw error
    const { code, reason, message, metadata } = known
    const field = 'options.types'
    throw new AppError(code, reason, `${field}: ${message}`, { ...metadata, field })
  }
}

function badOption(name: string, problem: string): AppError {
  const field = `options.${name}`
  return new AppError('invalid', 'BAD_FIELD', `${field} ${problem}`, { field })
}

/** The table to append to. Throws `not_found` for an unknown table and `invalid` for another choice that does not exist. */
export function readAppendTarget({ schema }: DocumentReader, given: WireTarget): AppendTarget {
  const { tableId, sourceTableId, columns, unknownColumns: unknown } = given
  if (unknown !== '' && unknown !== 'refuse' && unknown !== 'ignore' && unknown !== 'add')
    throw badTarget('unknownColumns', 'must be refuse, ignore or add')
  return {
    tableId,
    columns: targetColumns(schema.getWritable(tableId)),
    ...(sourceTableId !== '' && { source: sourceTableId }),
    mapping: new Map(Object.entries(columns)),
    unknown: unknown === '' ? 'refuse' : unknown,
  }
}

/** The response to a preview. */
export function toPreviewResponse(
  { format, used, tables, notes }: Previewed,
  hasMore: boolean,
): PreviewImportResponse {
  return PreviewImportResponse.fromPartial({
    format,
    options: used,
    tables: tables.map(({ recordsJson, ...table }) => ({
      ...table,
      columns: [...table.columns],
      recordsJson: Buffer.from(recordsJson),
    })),
    hasMore,
    notes: [...notes],
  })
}
