import {
  plainArrangement,
  withFrozen,
  withHidden,
  withOrder,
  withSummary,
  withWidth,
} from '../arrangement/arrangement'
import {
  arrangementOf,
  changedSettings,
  copyName,
  gridViewOf,
  isSameView,
  settingsOf,
} from './view-settings'

const ids = ['A', 'B', 'C', 'D']
const plain = plainArrangement(ids)
const everything = { sort: [], filter: {} }
/** A view as programs may add it, with the defaults of the API. */
const bare = {
  sort: [],
  filter: {},
  columns: [],
  frozenColumns: 0,
  rowHeight: 'short',
  wrapText: false,
  groupBy: [],
  summaries: {},
}

describe('a view', () => {
  it('has the sort order and filter of the address, also those that the console cannot edit', () => {
    const filter = { A: ['x'], B: { gte: 1, lt: 5 } }
    const fields = { ...bare, sort: ['-A', 'B:naturalSort'], filter }
    expect(settingsOf(gridViewOf(fields), plain)).toMatchObject({ sort: fields.sort, filter })
    expect(settingsOf(gridViewOf(bare), plain)).toMatchObject(everything)
  })

  it('has the arrangement with which it was saved', () => {
    const hidden = withHidden(withOrder(plain, ['D', 'A', 'B', 'C']), 'B', true)
    const arranged = withFrozen(withWidth(hidden, 'A', 300), 2)
    const fields = settingsOf(everything, arranged)
    expect(fields.columns).toEqual([
      { id: 'D' },
      { id: 'A', width: 300 },
      { id: 'B', hidden: true },
      { id: 'C' },
    ])
    expect(arrangementOf(fields, ids)).toEqual(arranged)
  })

  it('shows columns that it does not list at the end, and none that is gone', () => {
    const fields = { ...bare, columns: [{ id: 'C', width: 20 }, { id: 'gone' }, { id: 'A' }] }
    const { columns } = arrangementOf(fields, ids)
    expect(columns).toEqual([{ id: 'C', width: 72 }, { id: 'A' }, { id: 'B' }, { id: 'D' }])
  })

  it('shows a column also if it hides all', () => {
    const columns = ids.map((id) => ({ id, hidden: true }))
    expect(arrangementOf({ ...bare, columns }, ids).columns[0]?.hidden).toBe(false)
  })
})

describe('changes of a view', () => {
  const changesOf = (shown: Parameters<typeof changedSettings>[1], fields = bare) =>
    changedSettings(fields, shown, ids)

  it('are none while it is shown as it is', () => {
    expect(changesOf(settingsOf(everything, plain))).toEqual({})
    const shownAgain = withHidden(withHidden(plain, 'B', true), 'B', false)
    expect(changesOf(settingsOf(everything, shownAgain))).toEqual({})
    const filter = { A: [1], B: { lt: 5, gte: 1 } }
    const other = { B: { gte: 1, lt: 5 }, A: [1] }
    expect(changesOf(settingsOf({ sort: [], filter: other }, plain), { ...bare, filter })).toEqual(
      {},
    )
  })

  it('are the fields that differ, and no others', () => {
    const sorted = gridViewOf({ ...bare, sort: ['-B'] })
    expect(changesOf(settingsOf(sorted, plain))).toEqual({ sort: ['-B'] })
    const filtered = { sort: [], filter: { A: ['x'] } }
    expect(changesOf(settingsOf(filtered, plain))).toEqual({ filter: { A: ['x'] } })
    expect(changesOf(settingsOf(everything, withFrozen(plain, 1)))).toEqual({ frozenColumns: 1 })
    const grouped = gridViewOf({ ...bare, groupBy: ['-A', 'B'] })
    expect(changesOf(settingsOf(grouped, plain))).toEqual({ groupBy: ['-A', 'B'] })
    const summed = withSummary(plain, 'A', 'sum')
    expect(changesOf(settingsOf(everything, summed))).toEqual({ summaries: { A: 'sum' } })
    expect(arrangementOf({ ...bare, summaries: { A: 'sum' } }, ids)).toEqual(summed)
    expect(Object.keys(changesOf(settingsOf(everything, withHidden(plain, 'B', true))))).toEqual([
      'columns',
    ])
  })

  it('include the order of values and of sort keys', () => {
    const one = gridViewOf({ ...bare, sort: ['A', 'B'], filter: { A: [1, 2] } })
    expect(isSameView(one, gridViewOf({ ...bare, sort: ['A', 'B'], filter: { A: [1, 2] } }))).toBe(
      true,
    )
    expect(isSameView(one, gridViewOf({ ...bare, sort: ['B', 'A'], filter: { A: [1, 2] } }))).toBe(
      false,
    )
    expect(isSameView(one, gridViewOf({ ...bare, sort: ['A', 'B'], filter: { A: [2, 1] } }))).toBe(
      false,
    )
  })
})

describe('the name of a copy', () => {
  it('is one that no other view has, in upper or lower case', () => {
    expect(copyName('Open', ['Open'])).toBe('Open copy')
    expect(copyName('Open', ['Open', 'OPEN COPY', 'Open copy 2'])).toBe('Open copy 3')
  })

  it('is short enough', () => {
    const name = 'ä'.repeat(100)
    expect(copyName(name, [name])).toBe(`${'ä'.repeat(95)} copy`)
  })
})
