import type { Column } from '../../api/resources'
import { sampleColumn } from '../../api/sample-column'
import {
  plainArrangement,
  withFrozen,
  withHidden,
  withOrder,
  withWidth,
  withWrap,
} from './arrangement'
import { readStored, toStored } from './stored-arrangement'

const column = (id: string, colRef: number): Column => sampleColumn(id, { colRef })
const columns = [column('A', 11), column('B', 12), column('C', 13)]

const arranged = withFrozen(
  withWrap(
    withHidden(
      withWidth(withOrder(plainArrangement(['A', 'B', 'C']), ['C', 'A', 'B']), 'C', 300),
      'B',
      true,
    ),
    true,
  ),
  1,
)

it('an arrangement is read as it was stored, in JSON', () => {
  const stored: unknown = JSON.parse(JSON.stringify(toStored(arranged, columns)))
  expect(readStored(stored, columns)).toEqual(arranged)
})

it('columns are the same after they are renamed, even to the name of another', () => {
  const stored = toStored(arranged, columns)
  const renamed = [column('B', 11), column('A', 12), column('Total', 13)]
  expect(readStored(stored, renamed)?.columns).toEqual([
    { id: 'Total', width: 300 },
    { id: 'B' },
    { id: 'A', hidden: true },
  ])
})

it('columns without a ref are found by their ids', () => {
  const stored = { columns: [{ id: 'C', width: 100 }, { id: 'gone' }, { id: 'A' }] }
  expect(readStored(stored, columns)?.columns).toEqual([
    { id: 'C', width: 100 },
    { id: 'A' },
    { id: 'B' },
  ])
})

it('what is invalid is ignored', () => {
  for (const nothing of [undefined, null, 1, 'x', [], {}, { columns: 'A' }])
    expect(readStored(nothing, columns)).toBeUndefined()
  const odd = {
    columns: [
      null,
      1,
      { id: 5 },
      { ref: 99 },
      { id: 'B', ref: 12, width: 1e9, hidden: 'yes' },
      { ref: 12 },
    ],
    frozenColumns: 99,
    rowHeight: 'giant',
    wrapText: 1,
  }
  expect(readStored(odd, columns)).toEqual({
    columns: [{ id: 'A' }, { id: 'B' }, { id: 'C' }],
    frozenColumns: 3,
    rowHeight: 'short',
    wrapText: false,
  })
})
