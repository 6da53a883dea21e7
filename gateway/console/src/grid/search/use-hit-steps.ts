import { useQueryClient } from '@tanstack/react-query'
import type { GridApi } from 'ag-grid-community'
import { useEffect, useMemo, useRef, type RefObject } from 'react'
import type { Column, Row } from '../../api/resources'
import type { CellContext } from '../../cells/editing/cell-type'
import { columnName } from '../../formats/column'
import { focusedPlace } from '../ranges/pointer-drag'
import type { RowsApi } from '../rows/rows-api'
import type { RowStore } from '../rows/row-store'
import { until } from '../rows/until'
import { hasText } from './cell-texts'
import { findHit, type Hit, type HitSource } from './hit-steps'
import { shownTexts } from './shown-texts'

/** What a search in a grid needs. */
export interface SearchParts {
  /** What is searched for; empty for nothing. */
  readonly text: string
  readonly setText: (text: string) => void
  /** The columns that are shown, in which the search looks. */
  readonly shown: readonly Column[]
  readonly grid: RefObject<GridApi<Row> | null>
  /** The element that contains the grid. */
  readonly body: RefObject<HTMLDivElement | null>
  readonly rows: { readonly api: RowsApi; readonly store: RowStore }
}

/** Moves between the hits of a search. */
export function useHitSteps(
  context: CellContext,
  parts: SearchParts,
  onNote: (note: string) => void,
): HitSteps {
  const queries = useQueryClient()
  const latest = useRef(parts)
  useEffect(() => {
    latest.current = parts
  })
  return useMemo(() => {
    const readTexts: ReadTexts = (column, value) => shownTexts(queries, context, column, value)
    return new HitSteps(latest, readTexts, onNote)
  }, [context, queries, onNote])
}

/** Resolves to the texts of a cell. */
type ReadTexts = (column: Column, value: unknown) => Promise<readonly string[]>

/** Steps take time; a later one takes the place of one that still waits for rows. */
class HitSteps {
  /** The rows in which the last step was made. */
  private searched: RowStore | undefined
  private count = 0

  constructor(
    private readonly latest: { readonly current: SearchParts },
    private readonly readTexts: ReadTexts,
    private readonly onNote: (note: string) => void,
  ) {}

  /** Moves to the next hit of a text, or to the one before. The focus stays in the field. */
  async step(text: string, step: 1 | -1): Promise<void> {
    const isWanted = this.begin()
    if (!(await this.search(text, isWanted)) || text === '') return
    const { shown, grid, rows } = this.latest.current
    const { store } = rows
    const from = this.searched === store ? focusedPlace(grid, shown) : undefined
    this.searched = store
    const source: HitSource = {
      rowCount: store.readState().total ?? 0,
      columnCount: shown.length,
      nextRow: store.places.nextRow,
      load: (index) => loadRow(this.latest.current, index, isWanted),
      isHit: (row, column) => this.isHit(row, shown[column], text),
    }
    // Labels that cannot be read are not found; the grid itself shows that the server is away.
    const hit = await findHit(source, from, step).catch(() => undefined)
    if (!hit || !(await focusCell(this.latest.current, hit, isWanted, true))) return
    const column = shown[hit.column]
    this.onNote(`Row ${store.places.numberOf(hit.row)}${column ? `, ${columnName(column)}` : ''}`)
  }

  /** Clears the search, and moves the focus to the row of the focused cell among all rows. */
  async leave(): Promise<void> {
    const isWanted = this.begin()
    const { text, shown, grid, rows } = this.latest.current
    const place = focusedPlace(grid, shown)
    const row = place && rows.store.at(place.row)
    if (!(await this.search('', isWanted))) return
    const after = text === '' ? place?.row : row && (await findRow(this.latest.current, row.id))
    await focusCell(this.latest.current, { row: after ?? 0, column: place?.column ?? 0 }, isWanted)
  }

  /** Moves the focus to the cell of the last step among the rows with a text, or to the first one. */
  async enterGrid(text: string): Promise<void> {
    const isWanted = this.begin()
    if (!(await this.search(text, isWanted))) return
    const { shown, grid, rows } = this.latest.current
    const { row, column } = focusedPlace(grid, shown) ?? { row: 0, column: 0 }
    const last = (rows.store.readState().total ?? 0) - 1
    if (last >= 0)
      await focusCell(this.latest.current, { row: Math.min(row, last), column }, isWanted)
  }

  /** Ends the step that still waits for rows, if any. */
  cancel(): void {
    this.count++
  }

  /**
   * Returns a function that is true until the next step begins, or the focus leaves the search: it would be taken from where
   * the user types then, and the rest of the text would overwrite a cell.
   */
  private begin(): () => boolean {
    const number = ++this.count
    return () => this.count === number && mayTakeFocus()
  }

  /** Searches for a text. Resolves to true once the rows are counted. */
  private search(text: string, isWanted: () => boolean): Promise<boolean> {
    if (text !== this.latest.current.text) this.latest.current.setText(text)
    return until(isWanted, () => {
      const { text: searched, rows } = this.latest.current
      return searched === text && rows.store.readState().total !== undefined
    })
  }

  private async isHit(row: Row, column: Column | undefined, text: string): Promise<boolean> {
    if (!column) return false
    const texts = await this.readTexts(column, row.fields[column.id])
    return texts.some((each) => hasText(each, text))
  }
}

/** Some browsers do not focus a button that is clicked. */
function mayTakeFocus(): boolean {
  const { activeElement: holder, body } = document
  return holder === null || holder === body || holder.closest('search') !== null
}

/** Scrolls to a row. Resolves to it once it is loaded. */
async function loadRow(
  { grid, rows: { store } }: SearchParts,
  index: number,
  isWanted: () => boolean,
): Promise<Row | undefined> {
  if (!store.at(index)) scrollTo(grid, index)
  await until(isWanted, () => store.at(index) !== undefined)
  return isWanted() ? store.at(index) : undefined
}

function scrollTo({ current: api }: SearchParts['grid'], index: number): void {
  if (api && index < api.getDisplayedRowCount()) api.ensureIndexVisible(index)
}

/** The index of a row among all rows; undefined if it is not known. */
async function findRow(
  { rows: { api, store } }: SearchParts,
  id: number,
): Promise<number | undefined> {
  const index = await api.countBefore(id).catch(() => undefined)
  const { total = 0 } = store.readState()
  return index !== undefined && index < total ? index : undefined
}

/** Scrolls to a cell, and makes it the focused one of the grid. With `staysInField`, the field of the search keeps the keys. */
async function focusCell(
  { grid, body, shown, rows: { store } }: SearchParts,
  { row: found, column }: Hit,
  isWanted: () => boolean,
  staysInField = false,
): Promise<boolean> {
  const colId = shown[column]?.id
  const { isGroup, nextRow } = store.places
  const row = isGroup(found) ? nextRow(found, 1) : found
  if (colId === undefined || row === undefined) return false
  const cell = `[row-index="${row}"] [col-id="${CSS.escape(colId)}"]`
  // A cell that is focused before it is drawn takes the focus later.
  const isDrawn = () => {
    scrollTo(grid, row)
    grid.current?.ensureColumnVisible(colId)
    return !!body.current?.querySelector(cell)
  }
  if (!(await until(isWanted, isDrawn))) return false
  const holder = document.activeElement
  grid.current?.setFocusedCell(row, colId)
  if (staysInField && holder instanceof HTMLElement && holder.closest('search')) holder.focus()
  return true
}
