import type { Group, Groups } from '@sheaf/client'
import fc from 'fast-check'
import { GroupLayout, type GroupHeader } from './group-layout'

/** A line of a view: a row by its index, or the header of a group by its key. */
type Line = number | string

/** Reference model: all lines of a view. */
function lines({ groups, total }: Groups, isCollapsed: (key: string) => boolean): Line[] {
  let next = 0
  const rowsOf = (count: number) => Array.from({ length: count }, () => next++)
  const linesOf = (all: readonly Group[], path: readonly unknown[]): Line[] =>
    all.flatMap((group) => {
      const own = [...path, group.value]
      const key = JSON.stringify(own)
      const within = group.groups ? linesOf(group.groups, own) : rowsOf(group.count)
      return isCollapsed(key) ? [key] : [key, ...within]
    })
  const listed = linesOf(groups, [])
  const rest = rowsOf(total.count - next)
  if (rest.length === 0) return listed
  return [...listed, 'rest', ...(isCollapsed('rest') ? [] : rest)]
}

const isHeader = (part: object): part is GroupHeader => 'key' in part

const counts = { aggregates: {} }
const leaf = fc.integer({ min: 1, max: 4 }).map((count) => ({ count, ...counts }))
const valued = <T extends object>(groups: readonly T[]) =>
  groups.map((group, value) => ({ ...group, value }))
const leaves = fc.array(leaf, { minLength: 1, maxLength: 4 }).map(valued)
const sum = (groups: readonly { readonly count: number }[]) =>
  groups.reduce((all, { count }) => all + count, 0)
const nested = fc
  .array(
    leaves.map((groups) => ({ groups, count: sum(groups), ...counts })),
    { maxLength: 4 },
  )
  .map(valued)
const groupsOf = fc
  .tuple(fc.oneof(leaves, nested), fc.integer({ min: 0, max: 3 }))
  .map(([groups, rest]): Groups => ({
    groups,
    truncated: rest > 0,
    total: { count: sum(groups) + rest, ...counts },
  }))
const collapsing = fc.func(fc.boolean())

describe('the layout of groups', () => {
  it('has each header and row where a model has it', () => {
    fc.assert(
      fc.property(groupsOf, collapsing, (groups, isCollapsed) => {
        const wanted = lines(groups, isCollapsed)
        const layout = new GroupLayout(groups, isCollapsed)
        expect(layout.size).toBe(wanted.length)
        expect(layout.rowCount).toBe(groups.total.count)
        wanted.forEach((line, index) => {
          const header = layout.headerAt(index)
          expect(header?.key ?? layout.rowAt(index)).toBe(line)
          if (header) expect(layout.headerOf(header.key)).toBe(header)
        })
        expect(layout.headerAt(wanted.length)).toBeUndefined()
      }),
    )
  })

  it('is divided into parts', () => {
    const place = fc.nat(60)
    fc.assert(
      fc.property(groupsOf, collapsing, place, place, (groups, isCollapsed, one, other) => {
        const [start, end] = one < other ? [one, other] : [other, one]
        const layout = new GroupLayout(groups, isCollapsed)
        const found = layout
          .slice(start, end)
          .flatMap((part): Line[] =>
            isHeader(part)
              ? [part.key]
              : Array.from({ length: part.count }, (_, offset) => part.firstRow + offset),
          )
        expect(found).toEqual(lines(groups, isCollapsed).slice(start, end))
      }),
    )
  })

  it('leads from row to row', () => {
    fc.assert(
      fc.property(groupsOf, collapsing, (groups, isCollapsed) => {
        const wanted = lines(groups, isCollapsed)
        const layout = new GroupLayout(groups, isCollapsed)
        const isRow = (index: number) => typeof wanted[index] === 'number'
        wanted.forEach((_, index) => {
          const next = wanted.findIndex((__, at) => at > index && isRow(at))
          expect(layout.nextRow(index, 1) ?? -1).toBe(next)
          const before = wanted.findLastIndex((__, at) => at < index && isRow(at))
          expect(layout.nextRow(index, -1) ?? -1).toBe(before)
        })
      }),
    )
  })

  it('is like another one with the same headers and rows', () => {
    fc.assert(
      fc.property(groupsOf, groupsOf, collapsing, (one, other, isCollapsed) => {
        const isSame =
          JSON.stringify(lines(one, isCollapsed)) === JSON.stringify(lines(other, isCollapsed)) &&
          one.total.count === other.total.count
        const layout = new GroupLayout(one, isCollapsed)
        expect(layout.isLike(new GroupLayout(other, isCollapsed))).toBe(isSame)
        expect(layout.isLike(new GroupLayout(one, isCollapsed))).toBe(true)
      }),
    )
  })
})
