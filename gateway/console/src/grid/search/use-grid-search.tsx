import { useCallback, useEffect, useMemo, useRef, useState, type ReactNode } from 'react'
import type { CellContext } from '../../cells/editing/cell-type'
import { readText } from '../view/search-address'
import { cellTexts, hasText } from './cell-texts'
import { useHitMarks } from './hit-marks'
import { SearchField } from './search-field'
import { useSearchKeys } from './search-keys'
import { useHitSteps, type SearchParts } from './use-hit-steps'

/** The search in a grid. */
export interface GridSearch {
  /** What is searched for; empty for nothing. */
  readonly text: string
  readonly field: ReactNode
  /** Clears the search, with the focus in its field. */
  readonly clear: () => void
}

/** Searches in the rows of a grid: marks the hits, and moves from one to the next. */
export function useGridSearch(context: CellContext, parts: SearchParts): GridSearch {
  const { text, setText, shown, body, rows } = parts
  const { store } = rows
  const input = useRef<HTMLInputElement>(null)
  const [note, setNote] = useState('')
  const columns = useMemo(() => new Map(shown.map((column) => [column.id, column])), [shown])
  const hasHit = useCallback(
    (rowIndex: number, colId: string) => {
      const column = columns.get(colId)
      const value = store.at(rowIndex)?.fields[colId]
      return column !== undefined && cellTexts(value, column).some((each) => hasText(each, text))
    },
    [columns, store, text],
  )
  useHitMarks(body, text, hasHit)
  // The address changes by itself as well; what is being typed is newer than it.
  useEffect(() => {
    const { current: element } = input
    if (element && document.activeElement !== element && readText(element.value) !== text)
      element.value = text
  }, [text])
  useSearchKeys(input, context.canEdit)
  const steps = useHitSteps(context, parts, setNote)
  const clear = () => {
    const { current: field } = input
    setText('')
    if (!field) return
    field.value = ''
    field.focus()
  }
  const typed = () => readText(input.current?.value ?? '')
  const field = (
    <SearchField
      input={input}
      text={text}
      store={store}
      note={note}
      onType={() => steps.cancel()}
      onText={setText}
      onStep={(step) => void steps.step(typed(), step)}
      onClear={clear}
      onLeave={() => {
        if (input.current) input.current.value = ''
        void steps.leave()
      }}
      onEnterGrid={() => void steps.enterGrid(typed())}
    />
  )
  return { text, field, clear }
}
