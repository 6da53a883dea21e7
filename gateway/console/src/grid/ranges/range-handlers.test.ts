import type { ClipboardEvent, KeyboardEvent } from 'react'
import { sampleColumn } from '../../api/sample-column'
import type { PlacedChange } from '../../writes/table/cells-api'
import { plainPlaces } from '../rows/row-places'
import type { Block } from './cell-range'
import type { Growth } from './growth-dialog'
import { createRangeHandlers, type RangeHandlers } from './range-handlers'

const columns = [sampleColumn('A', { type: 'Text' }), sampleColumn('B', { type: 'Int' })]
const rowOf = (index: number) => ({ id: index + 1, fields: { A: `a${index}`, B: index } })

function setUp(
  total: number,
  at: (index: number) => ReturnType<typeof rowOf> | undefined,
  places = plainPlaces,
  selected?: Block,
) {
  const asked: Growth[] = []
  const problems: (string | undefined)[] = []
  const written: { changes: readonly PlacedChange[]; label: string }[] = []
  const handlers = createRangeHandlers({
    columns,
    canEdit: true,
    copied: { source: 'here', knownText: () => undefined },
    selected: () => selected,
    source: {
      at,
      places,
      readPage: ({ offset, limit }) => {
        const rows = Array.from({ length: Math.min(limit, total - offset) }, (_, place) =>
          rowOf(offset + place),
        )
        return Promise.resolve({ rows, nextCursor: null, seq: 1 })
      },
    },
    lastRead: () => undefined,
    rowCount: () => total,
    write: (changes, label) => written.push({ changes, label }),
    askToGrow: (growth) => asked.push(growth),
    report: (problem) => problems.push(problem),
  })
  return { handlers, written, asked, problems }
}

const block = (firstRow: number, lastRow: number) => ({
  firstRow,
  lastRow,
  firstColumn: 0,
  lastColumn: 0,
})

const isGroup = (index: number) => index === 0 || index === 3 || index === 4

/** Rows at 1, 2 and from 5 on, among headers of groups. */
function setUpGroups(selected?: Block) {
  const numberOf = (index: number) => (index < 3 ? index : index - 2)
  const nextRow = (index: number, step: 1 | -1): number =>
    isGroup(index + step) ? nextRow(index + step, step) : index + step
  const at = (index: number) => (isGroup(index) ? { ...rowOf(index), header: {} } : rowOf(index))
  return setUp(10, at, { ...plainPlaces, isGroup, numberOf, nextRow }, selected)
}

const event = (parts: object) => ({ target: {}, preventDefault: () => {}, ...parts })

function paste(handlers: RangeHandlers, types: Readonly<Record<string, string>>): void {
  const getData = (type: string) => types[type] ?? ''
  const clipboardData = { types: Object.keys(types), getData }
  handlers.onPaste(event({ clipboardData }) as unknown as ClipboardEvent)
}

const fieldsOf = (written: ReturnType<typeof setUp>['written']) =>
  written.flatMap(({ changes }) => changes.map(({ id, fields }) => [id, fields]))

beforeAll(() => {
  Object.assign(globalThis, { Element: class {} })
})

describe('a pasted cell', () => {
  it('fills the selected rows, and none below them in place of the headers of groups', () => {
    const { handlers, written } = setUpGroups(block(2, 5))
    paste(handlers, { 'text/plain': 'x' })
    expect(fieldsOf(written)).toEqual([
      [3, { A: 'x' }],
      [6, { A: 'x' }],
    ])
  })

  it('fills all rows without adding more for the headers of groups', () => {
    const { handlers, written, asked } = setUpGroups(block(0, 9))
    paste(handlers, { 'text/plain': 'x' })
    expect(asked).toEqual([])
    expect(fieldsOf(written).map(([id]) => id)).toEqual([2, 3, 6, 7, 8, 9, 10])
  })

  it('changes nothing if only the header of a group is selected', () => {
    const { handlers, written, problems } = setUpGroups(block(3, 3))
    paste(handlers, { 'text/plain': 'x' })
    expect(written).toEqual([])
    expect(problems).toEqual(['Nothing was changed: no cell of a row is selected.'])
  })
})

describe('a clipboard without text', () => {
  it('changes nothing, and the console says so', () => {
    const clipboards: readonly Readonly<Record<string, string>>[] = [
      {},
      { Files: '' },
      { 'text/html': '<img src="a.png">' },
    ]
    for (const types of clipboards) {
      const { handlers, written, problems } = setUp(10, rowOf, plainPlaces, block(1, 2))
      paste(handlers, types)
      expect(written).toEqual([])
      expect(problems).toEqual(['Nothing was changed: there is no text in the clipboard.'])
    }
  })
})

describe('a filled range', () => {
  it('is filled down from its first row, not from the header of a group above that', () => {
    const { handlers, written } = setUpGroups(block(0, 2))
    handlers.onKey(event({ key: 'd', ctrlKey: true }) as unknown as KeyboardEvent)
    expect(fieldsOf(written)).toEqual([[3, { A: 'a1' }]])
  })

  it('is written with what its cells were, also in rows that are not loaded', async () => {
    const { handlers, written } = setUp(10, () => undefined)
    handlers.fill(block(4, 4), block(4, 6))
    await new Promise((resolve) => setTimeout(resolve))
    expect(written).toEqual([
      {
        changes: [
          { id: 6, fields: { A: 'a4' }, before: { A: 'a5', B: 5 }, place: 'row 6' },
          { id: 7, fields: { A: 'a4' }, before: { A: 'a6', B: 6 }, place: 'row 7' },
        ],
        label: '2 cells filled',
      },
    ])
  })

  it('is written at once if its rows are shown', () => {
    const { handlers, written } = setUp(10, rowOf)
    handlers.fill(block(4, 4), block(4, 5))
    expect(written.map(({ label }) => label)).toEqual(['A, row 6 filled'])
  })

  it('is filled from the row before the headers of groups, which are left out', () => {
    const { handlers, written } = setUpGroups()
    handlers.fill(block(2, 2), block(2, 6))
    expect(written).toMatchObject([
      {
        changes: [
          { id: 6, fields: { A: 'a2' }, place: 'row 3' },
          { id: 7, fields: { A: 'a2' }, place: 'row 4' },
        ],
      },
    ])
  })

  it('stays as it is if the rows to fill it from were deleted', async () => {
    const { handlers, written } = setUp(4, () => undefined)
    handlers.fill(block(5, 5), block(3, 5))
    await new Promise((resolve) => setTimeout(resolve))
    expect(written).toEqual([])
  })
})
