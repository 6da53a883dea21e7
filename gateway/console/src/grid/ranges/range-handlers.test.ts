import { sampleColumn } from '../../api/sample-column'
import type { PlacedChange } from '../../writes/cells-api'
import { plainPlaces } from '../rows/row-places'
import { createRangeHandlers } from './range-handlers'

const columns = [sampleColumn('A', { type: 'Text' }), sampleColumn('B', { type: 'Int' })]
const rowOf = (index: number) => ({ id: index + 1, fields: { A: `a${index}`, B: index } })

function setUp(
  total: number,
  at: (index: number) => ReturnType<typeof rowOf> | undefined,
  places = plainPlaces,
) {
  const written: { changes: readonly PlacedChange[]; label: string }[] = []
  const handlers = createRangeHandlers({
    columns,
    canEdit: true,
    selected: () => undefined,
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
    askToGrow: () => {},
    report: () => {},
  })
  return { handlers, written }
}

const block = (firstRow: number, lastRow: number) => ({
  firstRow,
  lastRow,
  firstColumn: 0,
  lastColumn: 0,
})

describe('a filled range', () => {
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
    const isGroup = (index: number) => index === 0 || index === 3 || index === 4
    const numberOf = (index: number) => (index < 3 ? index : index - 2)
    const nextRow = (index: number, step: 1 | -1): number =>
      isGroup(index + step) ? nextRow(index + step, step) : index + step
    const at = (index: number) => (isGroup(index) ? { ...rowOf(index), header: {} } : rowOf(index))
    const places = { ...plainPlaces, isGroup, numberOf, nextRow }
    const { handlers, written } = setUp(10, at, places)
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
