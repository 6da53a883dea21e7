import { SEARCHES } from '@sheaf/auth/require-protocol'
import { AppError } from '@sheaf/kit/errors'
import type { RecordsSearch } from '@sheaf/protos/sheaf/document_data/v1/records'
import type { Exchange } from '../http/exchange'

/** The search of a request: its text, and the columns that it looks at, all if absent. */
interface Searched {
  readonly search?: string
  readonly searchFields?: string[]
}

/**
 * Reads what a request searches for; undefined for no search. An instance that would ignore it is not called. Throws AppError
 * `invalid` for columns without a text, and for no columns.
 */
export function readSearch(
  exchange: Exchange,
  { search, searchFields }: Searched,
): RecordsSearch | undefined {
  if (search === undefined && searchFields === undefined) return undefined
  if (search === undefined) throw invalid('searchFields requires search')
  if (searchFields?.length === 0) throw invalid('searchFields must name a column')
  exchange.neededProtocol = SEARCHES
  return { text: search, columns: searchFields ?? [] }
}

function invalid(message: string): AppError {
  return new AppError('invalid', 'INVALID_PARAMETER', message, { parameter: 'searchFields' })
}
