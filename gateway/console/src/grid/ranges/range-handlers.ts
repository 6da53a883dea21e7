import type { ClipboardEvent, KeyboardEvent } from 'react'
import type { Column, Row } from '../../api/resources'
import { columnName } from '../../formats/column'
import { writeBlock } from '../clipboard/block-text'
import { planPaste, type PastePlan } from '../clipboard/paste-plan'
import { readTsv } from '../clipboard/tsv'
import type { PlacedChange, RowChange } from '../../writes/cells-api'
import { heightOf, widthOf, type Block } from './cell-range'
import { planClear, planFill, repeatCell, type RangePlan } from './range-changes'
import { MAX_RANGE_ROWS, readRange, shownRows, type RowSource } from './range-rows'
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
  readonly askToGrow: (plan: PastePlan) => void
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

/** Returns true where keys and the clipboard have their usual meaning. */
const isEntry = (target: EventTarget): boolean =>
  target instanceof Element &&
  target.closest('input:not([type=checkbox]), textarea, select, .ag-popup-editor') !== null

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
  const { columns, source, write, report } = parts
  report()
  if (heightOf(block) > MAX_RANGE_ROWS) return report(TOO_MANY)
  const places = new Map<number, string>()
  const apply = (rows: readonly Row[]) => {
    const planned = plan(rows, columnsOf(block, columns))
    if ('problem' in planned) return report(planned.problem)
    rows.forEach(({ id }, at) => places.set(id, `row ${block.firstRow + at + 1}`))
    const changes = planned.changes.map((one) => ({ ...one, place: places.get(one.id) ?? '' }))
    if (changes.length > 0) write(changes, `${nameOf(changes, block, columns)} ${done}`)
  }
  const shown = shownRows(block, source.at)
  // What is shown is changed at once, before the next key.
  if (shown) return apply(shown)
  readRange(block, source, new AbortController().signal).then(apply, (error: unknown) =>
    report(error instanceof Error ? error.message : String(error)),
  )
}

/** Fills the selected cells from their first row, and a single row from the one above. */
function fillDown(parts: RangeParts): void {
  const block = parts.selected()
  if (!block) return
  const firstRow = heightOf(block) > 1 ? block.firstRow : block.firstRow - 1
  if (firstRow < 0) return
  const whole = { ...block, firstRow }
  fill(parts, { ...whole, lastRow: firstRow }, whole)
}

function fill(parts: RangeParts, source: Block, whole: Block): void {
  const rows = { first: source.firstRow - whole.firstRow, count: heightOf(source) }
  const plan: RangeChange['plan'] = (all, columns) => planFill(all, columns, rows)
  change(parts, whole, { plan, done: 'filled' })
}

/** Returns changes of rows that follow each other, with where they are for the user, given the index of the last one. */
const placed = (changes: readonly RowChange[], lastRow: number): PlacedChange[] =>
  changes.map((change, at) => ({ ...change, place: `row ${lastRow - changes.length + at + 2}` }))

/** Returns what changed cells are called: one by its column and row, or their number. */
function nameOf(
  changes: readonly PlacedChange[],
  block: Block,
  columns: readonly Column[],
): string {
  const count = changes.length * widthOf(block)
  const column = columns[block.firstColumn]
  if (count > 1 || !column) return `${count.toLocaleString()} cells`
  return `${columnName(column)}, ${changes[0]?.place}`
}

function paste(parts: RangeParts, block: Block, text: string): void {
  const { columns, source, rowCount, write, report, askToGrow } = parts
  const size = { rows: heightOf(block), columns: widthOf(block) }
  const plan = planPaste(repeatCell(readTsv(text), size), {
    columns,
    firstColumn: block.firstColumn,
    firstRow: block.firstRow,
    total: rowCount(),
    rowAt: source.at,
  })
  const { changes, problem, growth } = plan
  if (growth) return askToGrow(plan)
  const last = block.firstRow + changes.length - 1
  if (changes.length > 0) write(placed(changes, last), `Paste into ${rowsOf(changes.length)}`)
  // After the write, which removes the one before.
  report(problem)
}

const rowsOf = (count: number): string => (count === 1 ? 'a row' : `${count.toLocaleString()} rows`)
