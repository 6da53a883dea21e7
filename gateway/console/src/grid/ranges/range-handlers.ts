import type { ClipboardEvent, KeyboardEvent } from 'react'
import type { Column, Row } from '../../api/resources'
import { isGridEntry } from '../../components/entry'
import { columnName } from '../../formats/column'
import { writeBlock, type CopySource } from '../clipboard/block-text'
import { holdsValues, toPastedCells } from '../clipboard/kept-values'
import { planPaste } from '../clipboard/paste-plan'
import { readTsv } from '../clipboard/tsv'
import type { PlacedChange, RowChange } from '../../writes/table/cells-api'
import type { Growth } from './growth-dialog'
import { heightOf, widthOf, type Block } from './cell-range'
import { planClear, planFill, repeatCell, type RangePlan } from './range-changes'
import { MAX_RANGE_ROWS, readRange, rowIndexes, shownRows, type RowSource } from './range-rows'
import type { RangeRows } from './use-range-rows'

/** What commands on selected cells need. */
export interface RangeParts {
  readonly columns: readonly Column[]
  readonly canEdit: boolean
  readonly copied: CopySource
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

/** Creates the handlers of selected cells. */
export function createRangeHandlers(parts: RangeParts): RangeHandlers {
  const { columns, canEdit, selected, report } = parts
  const clear = () => {
    const block = selected()
    if (block) change(parts, block, { plan: planClear, done: 'emptied' })
  }
  const copy = (event: ClipboardEvent): boolean => {
    const block = selected()
    if (!block || isGridEntry(event.target)) return false
    event.preventDefault()
    report()
    const rows = knownRows(block, parts)
    if (!rows) return false
    const { tsv, html } = writeBlock(rows, columnsOf(block, columns), parts.copied)
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
      if (!block || !canEdit || isGridEntry(event.target)) return
      event.preventDefault()
      paste(parts, block, event.clipboardData)
    },
    onKey({ key, ctrlKey, metaKey, shiftKey, altKey, target }) {
      if (!canEdit || !selected() || altKey || isGridEntry(target)) return false
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

const MOVED = 'The selected rows have moved. Select them again.'

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
  readRange(block, source, new AbortController().signal).then(
    (rows) => (areShown(rows, block, source) ? run(rows) : report(MOVED)),
    (error: unknown) => report(error instanceof Error ? error.message : String(error)),
  )
}

/** Returns false if other rows than those read are shown in a block. */
const areShown = (rows: readonly Row[], block: Block, { at, places }: RowSource): boolean =>
  rowIndexes(block, places).every((index, place) => {
    const shown = at(index)
    return shown === undefined || shown.id === rows[place]?.id
  })

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

const NO_ROW = 'Nothing was changed: no cell of a row is selected.'

/** Fills the selected cells from their first row, and a single row from the one above. */
function fillDown(parts: RangeParts): void {
  const block = parts.selected()
  if (!block) return
  const { places } = parts.source
  const [first, second] = rowIndexes(block, places)
  if (first === undefined) return parts.report(NO_ROW)
  const firstRow = second === undefined ? places.nextRow(first, -1) : first
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

const NO_TEXT = 'Nothing was changed: there is no text in the clipboard.'

/** Pastes cells from the first selected one on; into all selected ones if it is a single cell. */
function paste(parts: RangeParts, selected: Block, clipboard: DataTransfer): void {
  const { report, askToGrow } = parts
  const { source } = parts.copied
  const html = clipboard.getData('text/html')
  // Without text there is an image, a file or, where programs leave it out, the text of an empty cell.
  if (!clipboard.types.includes('text/plain') && !holdsValues(html, source)) return report(NO_TEXT)
  // Headers of groups have no cells.
  const selectedRows = rowIndexes(selected, parts.source.places)
  const [firstRow] = selectedRows
  if (firstRow === undefined) return report(NO_ROW)
  const pasted = toPastedCells(readTsv(clipboard.getData('text/plain')), html, source)
  const lines = repeatCell(pasted, { rows: selectedRows.length, columns: widthOf(selected) })
  const columns = parts.columns.slice(selected.firstColumn)
  if (lines.length > MAX_RANGE_ROWS) return report(TOO_MANY)
  const block = { ...selected, firstRow, lastRow: lastOf(firstRow, lines.length, parts) }
  report()
  withRows(parts, block, (rows) => {
    const plan = planPaste(lines, { columns, rows })
    if ('problem' in plan) return report(plan.problem)
    const { changes, addedRows, missingColumns } = plan
    if (addedRows.length + missingColumns > 0)
      return askToGrow({
        ...plan,
        rows,
        planWith: (added) => planPaste(lines, { columns, rows, added }),
      })
    const count = changes.length === 1 ? 'a row' : `${changes.length.toLocaleString()} rows`
    if (changes.length > 0) writeRows(parts, { changes, rows, block }, `Paste into ${count}`)
  })
}
