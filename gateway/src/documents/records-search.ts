import { SEARCH_LOCALES, SEARCHES } from '@sheaf/auth/require-protocol'
import { AppError } from '@sheaf/kit/errors'
import type { RecordsSearch } from '@sheaf/protos/sheaf/document_data/v1/records'
import type { Exchange } from '../http/exchange'
import { splitList } from '../schemas/parameters'

/** The search of a request: its text, the columns that it looks at, all if absent, and the language of the reader. */
interface Searched {
  readonly search?: string
  readonly searchFields?: string[]
  readonly searchLocale?: string
}

/**
 * Reads what a request searches for; undefined for no search. An instance that would ignore it is not called. Throws AppError
 * `invalid` for columns or a language without a text, and for no columns.
 */
export function readSearch(
  exchange: Exchange,
  { search, searchFields, searchLocale }: Searched,
  neededProtocol = SEARCHES,
): RecordsSearch | undefined {
  if (search === undefined) {
    if (searchFields !== undefined) throw invalid('searchFields', 'requires search')
    if (searchLocale !== undefined) throw invalid('searchLocale', 'requires search')
    return undefined
  }
  if (searchFields?.length === 0) throw invalid('searchFields', 'must name a column')
  exchange.neededProtocol =
    searchLocale === undefined ? neededProtocol : Math.max(neededProtocol, SEARCH_LOCALES)
  return { text: search, columns: searchFields ?? [], locale: searchLocale }
}

/** The same for a search in a query. */
export function readSearchQuery(
  exchange: Exchange,
  query: Omit<Searched, 'searchFields'> & { readonly searchFields?: string },
  neededProtocol?: number,
): RecordsSearch | undefined {
  const searchFields = splitList(query.searchFields)
  return readSearch(exchange, { ...query, searchFields }, neededProtocol)
}

function invalid(parameter: string, fault: string): AppError {
  return new AppError('invalid', 'INVALID_PARAMETER', `${parameter} ${fault}`, { parameter })
}
