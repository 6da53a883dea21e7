import type { Group, Groups } from '@sheaf/client'

/** The header of a group among the rows of a view. */
export interface GroupHeader {
  /** The values of the group and of those that contain it, as JSON; the same as long as the group exists. */
  readonly key: string
  /** Number of groups that contain it. */
  readonly level: number
  /** Absent for the rows of all groups that are not listed. */
  readonly group?: Group
  readonly count: number
  readonly isCollapsed: boolean
}

/** Rows that follow each other in a view. */
export interface RowRun {
  /** Index of the first one among all rows in the order of the groups. */
  readonly firstRow: number
  readonly count: number
}

interface Entry {
  /** Index in the view. */
  readonly at: number
  readonly header?: GroupHeader
  readonly run?: RowRun
}

/** Which groups are collapsed, by their keys. */
export type IsCollapsed = (key: string) => boolean

/** The key of the rows whose groups are not listed; no key of a group, which is a list. */
const REST = 'rest'

/**
 * Where the rows of groups are in a view: after the header of their group, unless it is collapsed. The indexes of a view count
 * headers as well.
 */
export class GroupLayout {
  /** Number of headers and shown rows. */
  readonly size: number
  /** Number of all rows. */
  readonly rowCount: number
  private readonly entries: readonly Entry[]
  private readonly byKey: ReadonlyMap<string, GroupHeader>

  constructor({ groups, total }: Groups, isCollapsed: IsCollapsed) {
    const built = new Building(isCollapsed)
    built.addGroups(groups, [])
    this.rowCount = total.count
    built.addRest(total.count)
    this.size = built.size
    this.entries = built.entries
    this.byKey = new Map(
      built.entries.flatMap(({ header }) => (header ? [[header.key, header]] : [])),
    )
  }

  /** Returns the header at an index; undefined for a row, and beyond the end. */
  headerAt(index: number): GroupHeader | undefined {
    return index < this.size ? this.entries[this.find(index)]?.header : undefined
  }

  /** Returns the header of a group; undefined if there is none, or a group that contains it is collapsed. */
  headerOf(key: string): GroupHeader | undefined {
    return this.byKey.get(key)
  }

  /** Returns the index among all rows of the row at an index; of a header, that of the row that follows it. */
  rowAt(index: number): number {
    for (let place = this.find(index); place < this.entries.length; place++) {
      const { at = 0, run } = this.entries[place] ?? {}
      if (run) return run.firstRow + Math.max(0, index - at)
    }
    return this.rowCount
  }

  /** Returns the index of the next row, or of the one before, if there is one. */
  nextRow(index: number, step: 1 | -1): number | undefined {
    const next = index + step
    if (next < 0 || next >= this.size) return undefined
    for (let place = this.find(next); ; place += step) {
      const entry = this.entries[place]
      if (!entry) return undefined
      const { at, run } = entry
      if (run) return step > 0 ? Math.max(next, at) : Math.min(next, at + run.count - 1)
    }
  }

  /** Returns what a part of the view consists of, in its order. */
  slice(start: number, end: number): readonly (GroupHeader | RowRun)[] {
    const parts: (GroupHeader | RowRun)[] = []
    for (let place = this.find(start); place < this.entries.length; place++) {
      const { at = 0, header, run } = this.entries[place] ?? {}
      if (at >= end) break
      if (header && at >= start) parts.push(header)
      const skipped = Math.max(0, start - at)
      const count = run ? Math.min(run.count, end - at) - skipped : 0
      if (run && count > 0) parts.push({ firstRow: run.firstRow + skipped, count })
    }
    return parts
  }

  /** Returns true if the same headers and rows are at the same places. */
  isLike({ entries, size, rowCount }: GroupLayout): boolean {
    return (
      size === this.size &&
      rowCount === this.rowCount &&
      entries.length === this.entries.length &&
      entries.every(({ at, header, run }, place) => {
        const own = this.entries[place]
        return (
          at === own?.at &&
          run?.firstRow === own.run?.firstRow &&
          header?.key === own.header?.key &&
          header?.isCollapsed === own.header?.isCollapsed
        )
      })
    )
  }

  /** The place of the last entry that begins at an index or before. */
  private find(index: number): number {
    let low = 0
    let high = this.entries.length
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if ((this.entries[middle]?.at ?? 0) <= index) low = middle
      else high = middle
    }
    return low
  }
}

class Building {
  readonly entries: Entry[] = []
  size = 0
  /** Number of rows passed, also of collapsed groups. */
  private rows = 0

  constructor(private readonly isCollapsed: IsCollapsed) {}

  addGroups(groups: readonly Group[], path: readonly unknown[]): void {
    for (const group of groups) {
      const own = [...path, group.isTooLong ? { isTooLong: true } : group.value]
      const isOpen = this.addHeader(JSON.stringify(own), path.length, group)
      if (!isOpen) this.rows += listedRows(group)
      else if (group.groups) this.addGroups(group.groups, own)
      else this.addRun(group.count)
    }
  }

  /** Adds the rows of groups that are not listed. */
  addRest(total: number): void {
    const count = total - this.rows
    if (count <= 0) return
    if (this.addHeader(REST, 0, { count })) this.addRun(count)
  }

  /** Returns false for a collapsed group. */
  private addHeader(
    key: string,
    level: number,
    group: Group | { readonly count: number },
  ): boolean {
    const isCollapsed = this.isCollapsed(key)
    const { count } = group
    const header = { key, level, count, isCollapsed, ...('value' in group && { group }) }
    this.entries.push({ at: this.size++, header })
    return !isCollapsed
  }

  private addRun(count: number): void {
    this.entries.push({ at: this.size, run: { firstRow: this.rows, count } })
    this.size += count
    this.rows += count
  }
}

/** Of a group that is listed in part, the others are among the rows of groups that are not listed. */
function listedRows({ count, groups }: Group): number {
  return groups ? groups.reduce((sum, group) => sum + listedRows(group), 0) : count
}
