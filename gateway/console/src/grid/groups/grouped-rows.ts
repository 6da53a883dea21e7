import { CursorIndex } from '../rows/cursor-index'
import type { RowPlaces } from '../rows/row-places'
import type { ReadPage, RowsPage } from '../rows/rows-api'
import type { CollapsedGroups } from './collapsed-groups'
import { GroupLayout, type GroupHeader, type RowRun } from './group-layout'
import { groupRow } from './group-row'
import type { LiveGroups } from './live-groups'

/** Rows that are read although they are not shown, to save a request. */
const MAX_GAP = 200
/** Concurrent requests of a page. */
const MAX_REQUESTS = 3

interface GroupedSource {
  readonly groups: LiveGroups
  readonly collapsed: CollapsedGroups
}

/** Pages of a view of rows with the headers of their groups. Cursors of these pages are indexes of the view. */
export class GroupedRows {
  private layout: GroupLayout | undefined
  private readonly cursors = new CursorIndex()
  private readRows: ReadPage | undefined
  private onLayout: ((size: number) => void) | undefined

  constructor(private readonly source: GroupedSource) {}

  readonly places: RowPlaces = {
    isGroup: (index) => this.layout?.headerAt(index) !== undefined,
    numberOf: (index) => (this.layout?.rowAt(index) ?? index) + 1,
    countRows: (size) => this.layout?.rowCount ?? size,
    nextRow: (index, step) => this.layout?.nextRow(index, step),
  }

  /** Sets how rows in the order of the groups are read. */
  over(readPage: ReadPage): this {
    this.readRows = readPage
    this.cursors.clear()
    return this
  }

  /** Follows the groups. Calls back with the size of the view when headers and rows are at other places. Returns a function that ends this. */
  readonly open = (onLayout: (size: number) => void): (() => void) => {
    this.onLayout = onLayout
    const unwatch = this.source.groups.watch(() => {
      this.cursors.clear()
      this.arrange()
    })
    return () => {
      this.onLayout = undefined
      unwatch()
    }
  }

  /** Returns the header of a group as it is now; undefined if it is not in the view. */
  headerOf(key: string): GroupHeader | undefined {
    return this.layout?.headerOf(key)
  }

  /** Collapses a group, or expands it. */
  toggle(key: string): void {
    this.source.collapsed.toggle(key)
    this.arrange()
  }

  /** Collapses all groups, or expands them. */
  setAll(areCollapsed: boolean): void {
    this.source.collapsed.setAll(areCollapsed)
    this.arrange()
  }

  /** Reads a page of the view. Groups are counted with the first one, and when the size of the view is wanted. */
  readonly readPage: ReadPage = async (request, signal) => {
    const { cursor, offset, limit, isCounted } = request
    const { groups } = this.source
    if (isCounted || !this.layout) await groups.load(signal)
    if (!this.layout) this.arrange()
    const { layout } = this
    if (!layout) throw new Error('groups were read by a later request only')
    const start = Number(cursor) + offset
    const { rows, seq } = await this.readLines(layout, { start, end: start + limit }, signal)
    const end = start + rows.length
    return {
      rows,
      nextCursor: end < layout.size ? String(end) : null,
      total: isCounted ? layout.size : undefined,
      seq,
    }
  }

  private arrange(): void {
    const read = this.source.groups.readState()
    if (!read) return
    const before = this.layout
    const layout = new GroupLayout(read, this.source.collapsed.has)
    this.layout = layout
    if (before?.isLike(layout) === false) this.onLayout?.(layout.size)
  }

  private async readLines(
    layout: GroupLayout,
    { start, end }: { readonly start: number; readonly end: number },
    signal: AbortSignal,
  ): Promise<Pick<RowsPage, 'rows' | 'seq'>> {
    const parts = layout.slice(start, end)
    const runs = parts.filter((part) => 'firstRow' in part)
    const pages = await this.readRuns(joinRuns(runs), signal)
    const found: RowsPage['rows'][number][] = []
    for (const part of parts) {
      if (!('firstRow' in part)) {
        found.push(groupRow(part, start + found.length))
        continue
      }
      const rows = rowsOf(part, pages)
      found.push(...rows)
      // Rows were removed since their groups were counted; a change of the log says so.
      if (rows.length < part.count) break
    }
    return { rows: found, seq: Math.min(...pages.map(({ page }) => page.seq)) }
  }

  private async readRuns(
    runs: readonly RowRun[],
    signal: AbortSignal,
  ): Promise<readonly ReadRun[]> {
    const pages: ReadRun[] = []
    for (let first = 0; first < runs.length; first += MAX_REQUESTS)
      pages.push(
        ...(await Promise.all(
          runs.slice(first, first + MAX_REQUESTS).map((run) => this.readRun(run, signal)),
        )),
      )
    return pages
  }

  private async readRun(run: RowRun, signal: AbortSignal): Promise<ReadRun> {
    const { firstRow, count } = run
    const { cursors, readRows } = this
    if (!readRows) throw new Error('it is not known how rows are read')
    const request = { ...cursors.nearest(firstRow), limit: count, isCounted: false }
    const page = await readRows(request, signal)
    const { rows, nextCursor } = page
    if (nextCursor !== null && rows.length > 0) cursors.add(firstRow + rows.length, nextCursor)
    return { firstRow, page }
  }
}

/** Rows of a run, as they were read. */
interface ReadRun {
  readonly firstRow: number
  readonly page: RowsPage
}

/** Joins runs that are close to each other. */
function joinRuns(runs: readonly RowRun[]): RowRun[] {
  const joined: RowRun[] = []
  for (const { firstRow, count } of runs) {
    const last = joined.at(-1)
    if (last && firstRow - (last.firstRow + last.count) <= MAX_GAP)
      joined[joined.length - 1] = { ...last, count: firstRow + count - last.firstRow }
    else joined.push({ firstRow, count })
  }
  return joined
}

function rowsOf({ firstRow, count }: RowRun, pages: readonly ReadRun[]): RowsPage['rows'] {
  const read = pages.findLast((page) => page.firstRow <= firstRow)
  if (!read) return []
  const from = firstRow - read.firstRow
  return read.page.rows.slice(from, from + count)
}
