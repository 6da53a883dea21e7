import type { IncomingMessage } from 'node:http'
import { ResultFormat } from '@sheaf/protos/sheaf/document_data/v1/sql'
import Negotiator from 'negotiator'

/** A format of rows, selected by the Accept header. */
export interface RowFormat {
  readonly format: ResultFormat
  /** Content-Type. */
  readonly mediaType: string
  /**
   * Suffix of the document's ETag in this format, so that a cached copy in one format does not validate
   * another. No other ETag ends like this, since those end in digits.
   */
  readonly tagSuffix: string
}

const JSON_FORMAT: RowFormat = {
  format: ResultFormat.JSON,
  mediaType: 'application/json; charset=utf-8',
  tagSuffix: '',
}

/** The formats by media type; among equally preferred ones the first is selected. */
const rowFormats = new Map<string, RowFormat>([
  ['application/json', JSON_FORMAT],
  [
    'application/x-ndjson',
    { format: ResultFormat.NDJSON, mediaType: 'application/x-ndjson', tagSuffix: '-ndjson' },
  ],
  [
    'text/csv',
    {
      format: ResultFormat.CSV,
      mediaType: 'text/csv; charset=utf-8; header=present',
      tagSuffix: '-csv',
    },
  ],
  [
    'application/vnd.apache.arrow.stream',
    {
      format: ResultFormat.ARROW,
      mediaType: 'application/vnd.apache.arrow.stream',
      tagSuffix: '-arrow',
    },
  ],
])
const mediaTypes = [...rowFormats.keys()]

/** Media types of rows other than JSON, for the API description. */
export const otherMediaTypes: readonly string[] = mediaTypes.slice(1)

/** Parameters other than the weight, such as a charset; they do not affect the selection. */
const PARAMETERS = /;(?!\s*q\s*=)[^;,"]*(?:"[^"]*")?/gi

/** Returns the preferred format of a request; JSON when it accepts none of them. */
export function negotiateRowFormat(request: IncomingMessage): RowFormat {
  return rowFormats.get(preferredMediaType(request, mediaTypes) ?? '') ?? JSON_FORMAT
}

/**
 * Returns the preferred one of these media types, the first among equals; undefined when none is acceptable.
 */
export function preferredMediaType(
  { headers: { accept } }: IncomingMessage,
  offered: readonly string[],
): string | undefined {
  if (accept === undefined || accept === '*/*') return offered[0]
  if (offered.includes(accept)) return accept
  const negotiator = new Negotiator({ headers: { accept: accept.replace(PARAMETERS, '') } })
  return negotiator.mediaType([...offered])
}
