import { RowPreviews } from './row-previews'

const rowsFrom = (first: number) =>
  Array.from({ length: 10 }, (_, offset) => ({ id: first + offset + 1, fields: { Name: 'old' } }))

describe('previews of rows', () => {
  it('are adjacent rows of the closest sample before, each with its own row number', () => {
    const previews = new RowPreviews()
    expect(previews.near(5)).toBeUndefined()
    for (const position of [1_000, 2_000]) previews.add(position, rowsFrom(position))
    expect(previews.near(999)).toBeUndefined()
    for (const [index, number] of [
      [1_000, 1_000],
      [1_003, 1_003],
      [1_998, 1_008],
      [2_501, 2_001],
    ] as const)
      expect(previews.near(index)).toMatchObject({ index: number, row: { id: number + 1 } })
  })

  it('are updated by changes', () => {
    const previews = new RowPreviews()
    previews.add(0, rowsFrom(0))
    previews.apply({ seq: 2, rowIds: [99, 3], columns: { Name: ['other', 'new'] } })
    expect(previews.near(2)?.row.fields).toEqual({ Name: 'new' })
    expect(previews.near(3)?.row.fields).toEqual({ Name: 'old' })
    previews.clear()
    expect(previews.near(2)).toBeUndefined()
  })
})
