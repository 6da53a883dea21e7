import { AppError } from '@sheaf/kit/errors'
import type { Moment } from '@sheaf/protos/sheaf/document_data/v1/options'
import { MOMENT_FORM, parseMoment } from '../schemas/moment'
import type { Query } from './query'

/** Name of the query parameter of reads of a former moment. */
export const AS_OF = 'asOf'

/** Spellings of the name that are refused, so that nobody takes the present for the past. */
const LIKE_AS_OF = /^as[-_]?of$/i
/** A name of its letters, some of which may be encoded. */
const MAY_BE = /[?&](?:[asof_-]|%[2-7][\da-f]){4,5}(?:[=&]|$)/i

/** Whether the URL of a request may have the parameter, in any spelling: most have none, and need not be parsed for it. */
export function mayHaveAsOf(url: string): boolean {
  return MAY_BE.test(url)
}

/**
 * The moment that a request asks for; undefined for the present. Throws AppError `invalid` for a value that is none, for a
 * misspelt name, and for a call that only knows the present.
 */
export function readAsOf(query: Query, isSupported: boolean): Moment | undefined {
  for (const name in query)
    if (name !== AS_OF && LIKE_AS_OF.test(name))
      throw wrong(name, `unknown parameter "${name}": did you mean "${AS_OF}"?`)
  const given = query[AS_OF]
  if (given === undefined) return undefined
  if (!isSupported) throw wrong(AS_OF, `this call has no ${AS_OF}`)
  const moment = typeof given === 'string' ? parseMoment(given) : undefined
  if (!moment) throw wrong(AS_OF, `${AS_OF} ${MOMENT_FORM}`)
  return moment
}

function wrong(parameter: string, message: string): AppError {
  return new AppError('invalid', 'INVALID_PARAMETER', message, { parameter })
}
