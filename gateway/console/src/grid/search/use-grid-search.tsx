import { useCallback, useMemo, useState, type ReactNode } from 'react'
import type { CellContext } from '../../cells/editing/cell-type'
import { cellTexts, hasText } from './cell-texts'
import { useHitMarks } from './hit-marks'
import { SearchField } from './search-field'
import { useSearchKeys } from './search-keys'
import { useSearchInput } from './use-search-input'
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
  const { input, typed, empty, clear } = useSearchInput(text, setText)
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
  useSearchKeys(input, context.canEdit)
  const steps = useHitSteps(context, parts, setNote)
  const field = (
    <SearchField
      input={input}
      text={text}
      store={store}
      onText={setText}
      onClear={clear}
      onLeave={() => {
        empty()
        void steps.leave()
      }}
      hits={{
        note,
        onType: () => steps.cancel(),
        onStep: (step) => void steps.step(typed(), step),
        onEnterGrid: () => void steps.enterGrid(typed()),
      }}
    />
  )
  return { text, field, clear }
}
