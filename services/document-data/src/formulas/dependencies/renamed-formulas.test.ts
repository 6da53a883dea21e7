import type { SchemaOperation } from '../../store/log/log'
import { findRenamedOnly } from './renamed-formulas'

const columns = { kind: 'update_column', table: 'T', tableRef: 1 } as const

const rename = (column: string, colId: string): SchemaOperation => ({
  ...columns,
  column,
  columnRef: 1,
  old: { colId: column },
  new: { colId },
})

const formula = (before: string, after: string, follows?: true): SchemaOperation => ({
  ...columns,
  column: 'F',
  columnRef: 2,
  old: { formula: before },
  new: { formula: after },
  follows,
})

describe('formulas that only follow a rename', () => {
  it.each([
    ['$qty * 2', '$amount * 2'],
    ['T.lookupOne(qty=$qty).qty', 'T.lookupOne(amount=$amount).amount'],
  ])('are those with the new name in every place: %s', (before, after) => {
    const operations = [rename('qty', 'amount'), formula(before, after, true)]
    expect(findRenamedOnly(operations)).toEqual(new Set([2]))
  })

  it.each([
    [
      'has the old name elsewhere',
      '$qty + (lambda r: r.qty)(rec)',
      '$amount + (lambda r: r.qty)(rec)',
    ],
    ['had the new name before', '$qty + $amount', '$amount + $amount'],
    ['may show names', 'RECORD(rec)[str($qty)]', 'RECORD(rec)[str($amount)]'],
    ['shows its own text', 'f"{$qty=}"', 'f"{$amount=}"'],
    [
      'has keys with computed names',
      'T.lookupOne(**{"qt" + "y": $qty})',
      'T.lookupOne(**{"qt" + "y": $amount})',
    ],
    ['follows a table as well', '$qty + len(T.all)', '$amount + len(U.all)'],
  ])('are none when a formula %s', (_, before, after) => {
    const operations = [rename('qty', 'amount'), formula(before, after, true)]
    expect(findRenamedOnly(operations)).toEqual(new Set())
  })

  it('are none that were changed by somebody in the same write', () => {
    const follower = formula('$qty', '$amount', true)
    expect(findRenamedOnly([rename('qty', 'amount'), formula('$qty', '$amount')])).toEqual(
      new Set(),
    )
    expect(
      findRenamedOnly([rename('qty', 'amount'), follower, formula('$amount', '$amount + 1')]),
    ).toEqual(new Set())
  })
})
