import { BLOCK_ROWS, RowBlocks } from './row-blocks'

const rowsFrom = (first: number) =>
  Array.from({ length: BLOCK_ROWS }, (_, offset) => ({
    id: first + offset + 1,
    fields: { Name: 'old' },
  }))

describe('the loaded rows of a grid', () => {
  it('stand in for rows near them that are not loaded, each with its own index', () => {
    const blocks = new RowBlocks()
    expect(blocks.near(5)).toBeUndefined()
    for (const number of [0, 10]) blocks.set(number, rowsFrom(number * BLOCK_ROWS))
    for (const [index, shown] of [
      [3, 3],
      [403, 3],
      [602, 1_002],
      [1_099, 1_099],
      [99_998, 1_098],
    ] as const)
      expect(blocks.near(index)).toMatchObject({ index: shown, row: { id: shown + 1 } })
    blocks.apply({ seq: 2, rowIds: [99_999, 3], columns: { Name: ['other', 'new'] } })
    expect(blocks.near(402)?.row.fields).toEqual({ Name: 'new' })
  })
})
