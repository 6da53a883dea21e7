import { useCallback } from 'react'
import { useSearchParams } from 'react-router'

/** The parameter of the address with the text that is searched for. */
const PARAMETER = 'search'
/** Maximum length of the text, that of the API. */
export const MAX_SEARCH = 200

/** The text that the address of the page searches for, empty for none; setting it replaces the address. */
export function useSearchText(): readonly [string, (text: string) => void] {
  const [query, setQuery] = useSearchParams()
  const setText = useCallback(
    (text: string) =>
      setQuery(
        (before) => {
          const next = new URLSearchParams(before)
          if (text === '') next.delete(PARAMETER)
          else next.set(PARAMETER, text)
          return next
        },
        { replace: true },
      ),
    [setQuery],
  )
  return [readText(query.get(PARAMETER) ?? ''), setText]
}

/** What is searched for when this is typed. */
export const readText = (typed: string): string => typed.slice(0, MAX_SEARCH).trim()
