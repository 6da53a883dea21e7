import { useMemo, useState, type ReactNode } from 'react'
import type { CellContext } from '../../cells/editing/cell-type'
import { cellHasText } from './cell-texts'
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
  const cells = useMemo(
    () => ({
      selector: '.ag-row:not(.ag-row-pinned) .ag-cell',
      hasHit(cell: Element) {
        const column = columns.get(cell.getAttribute('col-id') ?? '')
        const rowIndex = Number(cell.closest('.ag-row')?.getAttribute('row-index'))
        return column !== undefined && cellHasText(store.at(rowIndex), column, text)
      },
    }),
    [columns, store, text],
  )
  useHitMarks(body, text, cells)
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
