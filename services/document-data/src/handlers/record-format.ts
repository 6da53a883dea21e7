import { AppError } from '@sheaf/kit/errors'
import { ResultFormat } from '@sheaf/protos/sheaf/document_data/v1/sql'
import type { RowFormat } from '../formats/create-row-writer'

const formats: Readonly<Partial<Record<ResultFormat, RowFormat | 'json'>>> = {
  [ResultFormat.UNSPECIFIED]: 'json',
  [ResultFormat.JSON]: 'json',
  [ResultFormat.NDJSON]: 'ndjson',
  [ResultFormat.CSV]: 'csv',
  [ResultFormat.ARROW]: 'arrow',
}

/**
 * Returns the format of the rows; undefined for a JSON document. Throws AppError `invalid` for an unknown
 * format.
 */
export function readFormat(format: ResultFormat): RowFormat | undefined {
  const name = formats[format]
  if (!name) throw new AppError('invalid', 'BAD_FIELD', 'format is unknown')
  return name === 'json' ? undefined : name
}
