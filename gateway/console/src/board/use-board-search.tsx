import type { ReactNode } from 'react'
import type { Column } from '../api/resources'
import type { RowSearch } from '../grid/rows/rows-api'
import { SearchField } from '../grid/search/search-field'
import { useSearchInput } from '../grid/search/use-search-input'
import { useSearchKeys } from '../grid/search/search-keys'
import { useRowSearch } from '../grid/search/use-row-search'
import { useSearchText } from '../grid/view/search-address'
import type { RowStore } from '../grid/rows/row-store'

/** The search for the text of the address in columns, and the function that sets this text. */
export function useAddressSearch(
  columns: readonly Column[],
): readonly [RowSearch, (text: string) => void] {
  const [text, setText] = useSearchText()
  return [useRowSearch(text, columns), setText]
}

interface BoardSearch {
  readonly field: ReactNode
  /** Clears the search, with the focus in its field. */
  readonly clear: () => void
}

interface SearchParts {
  /** What is searched for; empty for nothing. */
  readonly text: string
  readonly setText: (text: string) => void
  /** The rows that are found. */
  readonly store: RowStore
  readonly canEdit: boolean
}

/** The search of a board, which shows only the cards that contain its text. */
export function useBoardSearch({ text, setText, store, canEdit }: SearchParts): BoardSearch {
  const { input, clear } = useSearchInput(text, setText)
  useSearchKeys(input, canEdit)
  const field = (
    <SearchField
      input={input}
      text={text}
      store={store}
      onText={setText}
      onClear={clear}
      onLeave={clear}
    />
  )
  return { field, clear }
}
