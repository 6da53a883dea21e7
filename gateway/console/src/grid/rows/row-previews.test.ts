import { RowGlimpses } from './row-previews'

const rowsFrom = (first: number) =>
  Array.from({ length: 10 }, (_, place) => ({ id: first + place + 1, fields: { Name: 'old' } }))

describe('glimpses of rows', () => {
  it('are rows of the closest place before, side by side, each with its own number', () => {
    const glimpses = new RowGlimpses()
    expect(glimpses.near(5)).toBeUndefined()
    for (const position of [1_000, 2_000]) glimpses.add(position, rowsFrom(position))
    expect(glimpses.near(999)).toBeUndefined()
    for (const [index, number] of [
      [1_000, 1_000],
      [1_003, 1_003],
      [1_998, 1_008],
      [2_501, 2_001],
    ] as const)
      expect(glimpses.near(index)).toMatchObject({ index: number, row: { id: number + 1 } })
  })

  it('change as their rows do', () => {
    const glimpses = new RowGlimpses()
    glimpses.add(0, rowsFrom(0))
    glimpses.apply({ seq: 2, rowIds: [99, 3], columns: { Name: ['other', 'new'] } })
    expect(glimpses.near(2)?.row.fields).toEqual({ Name: 'new' })
    expect(glimpses.near(3)?.row.fields).toEqual({ Name: 'old' })
    glimpses.clear()
    expect(glimpses.near(2)).toBeUndefined()
  })
})
