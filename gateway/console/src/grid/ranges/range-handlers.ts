import type { ClipboardEvent, KeyboardEvent } from 'react'
import type { Column, Row } from '../../api/resources'
import { COMPOSITION_CLASS } from '../../components/entry'
import { columnName } from '../../formats/column'
import { writeBlock } from '../clipboard/block-text'
import { planPaste } from '../clipboard/paste-plan'
import { readTsv } from '../clipboard/tsv'
import type { PlacedChange, RowChange } from '../../writes/cells-api'
import type { Growth } from './growth-dialog'
import { heightOf, widthOf, type Block } from './cell-range'
import { planClear, planFill, repeatCell, type RangePlan } from './range-changes'
import { MAX_RANGE_ROWS, readRange, rowIndexes, shownRows, type RowSource } from './range-rows'
import type { RangeRows } from './use-range-rows'

/** What commands on selected cells need. */
export interface RangeParts {
  readonly columns: readonly Column[]
  readonly canEdit: boolean
  /** Returns the selected cells, or the focused one. */
  readonly selected: () => Block | undefined
  readonly source: RowSource
  /** Returns the rows of the selection as they were read last. */
  readonly lastRead: () => RangeRows | undefined
  readonly rowCount: () => number
  readonly write: (changes: readonly PlacedChange[], label: string) => void
  /** Asks whether to add the rows and columns that a paste needs. */
  readonly askToGrow: (growth: Growth) => void
  /** Shows why a command did nothing, or not all; without an argument, removes that. */
  readonly report: (problem?: string) => void
}

/** Handlers of the clipboard and of keys that change selected cells. */
export interface RangeHandlers {
  readonly onCopy: (event: ClipboardEvent) => void
  readonly onCut: (event: ClipboardEvent) => void
  readonly onPaste: (event: ClipboardEvent) => void
  /** Returns true if the grid must not handle the key. */
  readonly onKey: (event: KeyboardEvent) => boolean
  /** Fills the cells of a block from those of a part of it with the same columns. */
  readonly fill: (source: Block, whole: Block) => void
}

const ENTRY = `input:not([type=checkbox], .${COMPOSITION_CLASS}), textarea, select, .ag-popup-editor`

/** Returns true where keys and the clipboard have their usual meaning. */
const isEntry = (target: EventTarget): boolean =>
  target instanceof Element && target.closest(ENTRY) !== null

/** Creates the handlers of selected cells. */
export function createRangeHandlers(parts: RangeParts): RangeHandlers {
  const { columns, canEdit, selected, report } = parts
  const clear = () => {
    const block = selected()
    if (block) change(parts, block, { plan: planClear, done: 'emptied' })
  }
  const copy = (event: ClipboardEvent): boolean => {
    const block = selected()
    if (!block || isEntry(event.target)) return false
    event.preventDefault()
    report()
    const rows = knownRows(block, parts)
    if (!rows) return false
    const { tsv, html } = writeBlock(rows, columnsOf(block, columns))
    event.clipboardData.setData('text/plain', tsv)
    event.clipboardData.setData('text/html', html)
    return true
  }
  return {
    onCopy: (event) => void copy(event),
    onCut: (event) => {
      if (copy(event) && canEdit) clear()
    },
    onPaste(event) {
      const block = selected()
      if (!block || !canEdit || isEntry(event.target)) return
      event.preventDefault()
      paste(parts, block, event.clipboardData.getData('text/plain'))
    },
    onKey({ key, ctrlKey, metaKey, shiftKey, altKey, target }) {
      if (!canEdit || !selected() || altKey || isEntry(target)) return false
      if (ctrlKey || metaKey) {
        if (key.toLowerCase() !== 'd' || shiftKey) return false
        fillDown(parts)
        return true
      }
      if (key !== 'Delete' && key !== 'Backspace') return false
      clear()
      return true
    },
    fill: (source, whole) => fill(parts, source, whole),
  }
}

const columnsOf = ({ firstColumn, lastColumn }: Block, columns: readonly Column[]) =>
  columns.slice(firstColumn, lastColumn + 1)

const TOO_MANY = `At most ${MAX_RANGE_ROWS.toLocaleString()} rows can be copied or changed at once.`

/** Returns the rows of a block if they are shown or read; a copy cannot wait for them. */
function knownRows(block: Block, parts: RangeParts): readonly Row[] | undefined {
  if (heightOf(block) > MAX_RANGE_ROWS) {
    parts.report(TOO_MANY)
    return undefined
  }
  const read = parts.lastRead()
  const rows = shownRows(block, parts.source.at) ?? (read?.block === block ? read.rows : undefined)
  if (!rows) parts.report('The selected rows are still being read. Copy them again in a moment.')
  return rows
}

interface RangeChange {
  readonly plan: (rows: readonly Row[], columns: readonly Column[]) => RangePlan
  /** What becomes of the cells. */
  readonly done: string
}

/** Changes the cells of a block. */
function change(parts: RangeParts, block: Block, { plan, done }: RangeChange): void {
  const { columns, report } = parts
  report()
  withRows(parts, block, (rows) => {
    const planned = plan(rows, columnsOf(block, columns))
    if ('problem' in planned) return report(planned.problem)
    const { changes } = planned
    const label = `${nameOf(changes, block, parts)} ${done}`
    if (changes.length > 0) writeRows(parts, { changes, rows, block }, label)
  })
}

/** Calls back with the rows of a block: at once if they are shown, before the next key, and otherwise when they are read. */
function withRows(
  { source, report }: RangeParts,
  block: Block,
  run: (rows: readonly Row[]) => void,
): void {
  if (heightOf(block) > MAX_RANGE_ROWS) return report(TOO_MANY)
  const shown = shownRows(block, source.at)
  if (shown) return run(shown)
  readRange(block, source, new AbortController().signal).then(run, (error: unknown) =>
    report(error instanceof Error ? error.message : String(error)),
  )
}

interface ChangedRows {
  readonly changes: readonly RowChange[]
  /** The rows of the block as they were read, also those that are not loaded. */
  readonly rows: readonly Row[]
  readonly block: Block
}

/** Writes changes of rows, with what the cells were before, so that nobody else's value is overwritten later. */
function writeRows(parts: RangeParts, { changes, rows, block }: ChangedRows, label: string): void {
  const { places } = parts.source
  const indexes = rowIndexes(block, places)
  const known = new Map(rows.map(({ id, fields }, at) => [id, { fields, at }]))
  const placed = changes.map((one) => {
    const { fields: before = {}, at = 0 } = known.get(one.id) ?? {}
    return { ...one, before, place: `row ${places.numberOf(indexes[at] ?? 0)}` }
  })
  parts.write(placed, label)
}

/** Fills the selected cells from their first row, and a single row from the one above. */
function fillDown(parts: RangeParts): void {
  const block = parts.selected()
  if (!block) return
  const above = () => parts.source.places.nextRow(block.firstRow, -1)
  const firstRow = heightOf(block) > 1 ? block.firstRow : above()
  if (firstRow === undefined) return
  const whole = { ...block, firstRow }
  fill(parts, { ...whole, lastRow: firstRow }, whole)
}

function fill(parts: RangeParts, source: Block, whole: Block): void {
  const { places } = parts.source
  const before = { ...whole, lastRow: source.firstRow - 1 }
  const rows = {
    first: rowIndexes(before, places).length,
    count: rowIndexes(source, places).length,
  }
  const plan: RangeChange['plan'] = (all, columns) => planFill(all, columns, rows)
  change(parts, whole, { plan, done: 'filled' })
}

/** Returns what changed cells are called: one by its column and row, or their number. */
function nameOf(
  changes: readonly RowChange[],
  block: Block,
  { columns, source }: RangeParts,
): string {
  const count = changes.length * Object.keys(changes[0]?.fields ?? {}).length
  const column = columns[block.firstColumn]
  if (count > 1 || !column) return `${count.toLocaleString()} cells`
  return `${columnName(column)}, row ${source.places.numberOf(block.lastRow)}`
}

/** The index of the last of some rows from a place on, as far as there are as many. */
function lastOf(firstRow: number, count: number, { source, rowCount }: RangeParts): number {
  const end = rowCount()
  let last = firstRow
  for (let row = 1; row < count; row++) {
    const next = source.places.nextRow(last, 1)
    if (next === undefined || next >= end) break
    last = next
  }
  return last
}

/** Pastes text from the first selected cell on; into all selected cells if it is a single cell. */
function paste(parts: RangeParts, selected: Block, text: string): void {
  const { report, askToGrow } = parts
  const { firstRow } = selected
  const lines = repeatCell(readTsv(text), { rows: heightOf(selected), columns: widthOf(selected) })
  const columns = parts.columns.slice(selected.firstColumn)
  if (lines.length > MAX_RANGE_ROWS) return report(TOO_MANY)
  const block = { ...selected, lastRow: lastOf(firstRow, lines.length, parts) }
  report()
  withRows(parts, block, (rows) => {
    const plan = planPaste(lines, { columns, rows })
    if ('problem' in plan) return report(plan.problem)
    const { changes, addedRows, missingColumns } = plan
    if (addedRows.length + missingColumns > 0)
      return askToGrow({ ...plan, planWith: (added) => planPaste(lines, { columns, rows, added }) })
    const count = changes.length === 1 ? 'a row' : `${changes.length.toLocaleString()} rows`
    if (changes.length > 0) writeRows(parts, { changes, rows, block }, `Paste into ${count}`)
  })
}
