import type { IncomingMessage } from 'node:http'
import { ResultFormat } from '@sheaf/protos/sheaf/document_data/v1/sql'
import Negotiator from 'negotiator'

/** A form in which rows are answered, chosen by the header Accept. */
export interface ResultForm {
  readonly format: ResultFormat
  /** Content-Type. */
  readonly mediaType: string
  /**
   * What the tag of a document ends in when it stands for this form, so that a cache that holds one form is not told that it
   * knows another. Ends no other tag, since those end in digits.
   */
  readonly tagSuffix: string
}

const JSON_FORM: ResultForm = {
  format: ResultFormat.JSON,
  mediaType: 'application/json; charset=utf-8',
  tagSuffix: '',
}

/** The forms by media type; where a request likes several as much, the first of them. */
const forms = new Map<string, ResultForm>([
  ['application/json', JSON_FORM],
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
const mediaTypes = [...forms.keys()]

/** Media types of rows other than JSON, for the description. */
export const otherMediaTypes: readonly string[] = mediaTypes.slice(1)

/** Parameters other than the weight, such as a charset: they choose nothing here. */
const PARAMETERS = /;(?!\s*q\s*=)[^;,"]*(?:"[^"]*")?/gi

/** The form that a request likes best; JSON when it likes none of them, as it has always been. */
export function readResultForm(request: IncomingMessage): ResultForm {
  return forms.get(likedMediaType(request, mediaTypes) ?? '') ?? JSON_FORM
}

/** Which of these media types a request likes best, the first of those that it likes as much; undefined for none. */
export function likedMediaType(
  { headers: { accept } }: IncomingMessage,
  offered: readonly string[],
): string | undefined {
  if (accept === undefined || accept === '*/*') return offered[0]
  if (offered.includes(accept)) return accept
  const negotiator = new Negotiator({ headers: { accept: accept.replace(PARAMETERS, '') } })
  return negotiator.mediaType([...offered])
}
