import { useEffect, useRef, type RefObject } from 'react'
import { readText } from '../view/search-address'

/** The field of a search. */
interface SearchInput {
  readonly input: RefObject<HTMLInputElement | null>
  /** Returns what is typed. */
  readonly typed: () => string
  /** Empties the field. */
  readonly empty: () => void
  /** Clears the search, with the focus in its field. */
  readonly clear: () => void
}

/** The field of a search for a text of the address, which it shows when it is not typed into. */
export function useSearchInput(text: string, setText: (text: string) => void): SearchInput {
  const input = useRef<HTMLInputElement>(null)
  // The address changes by itself as well; what is being typed is newer than it.
  useEffect(() => {
    const { current: element } = input
    if (element && document.activeElement !== element && readText(element.value) !== text)
      element.value = text
  }, [text])
  const empty = () => {
    if (input.current) input.current.value = ''
  }
  return {
    input,
    typed: () => readText(input.current?.value ?? ''),
    empty,
    clear() {
      setText('')
      empty()
      input.current?.focus()
    },
  }
}
