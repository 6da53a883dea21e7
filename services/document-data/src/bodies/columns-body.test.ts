import { readAddColumns, readUpdateColumns } from './columns-body'

const bytes = (body: unknown) => Buffer.from(JSON.stringify(body))
const refusal = (reason: string, fault?: string) =>
  expect.objectContaining({
    reason,
    ...(fault === undefined
      ? {}
      : { metadata: { userError: expect.stringContaining(fault) as string } }),
  }) as Error

describe('readAddColumns', () => {
  it('takes lists of the same length, also empty ones', () => {
    const { rows, columns } = readAddColumns(bytes({ A: ['x', null], B: [1, ['L', 1]] }))
    expect(rows).toBe(2)
    expect(columns.get('B')).toEqual([1, ['L', 1]])
    expect(readAddColumns(bytes({ A: [] })).rows).toBe(0)
  })

  it.each([
    [{}, 'body must have at least one column'],
    [[], 'body is not an object'],
    [{ A: 'x' }, 'body.A is not an array'],
    [{ A: ['x', 'y'], B: [1] }, 'body.B has 1 items, but body.A has 2'],
    [{ A: [{ x: 1 }] }, 'body.A[0] is not a CellValue'],
    [{ A: [1, [1]] }, 'body.A[1] is not a CellValue'],
  ])('refuses %j instead of guessing what was meant', (body, fault) => {
    expect(() => readAddColumns(bytes(body))).toThrow(refusal('INVALID_PAYLOAD', fault))
  })

  it('refuses ids, which are not for the client to choose', () => {
    expect(() => readAddColumns(bytes({ id: [null], A: [1] }))).toThrow(refusal('INVALID_COLUMN'))
  })
})

describe('readUpdateColumns', () => {
  it('takes ids and lists of the same length', () => {
    const { ids, columns } = readUpdateColumns(bytes({ A: ['x', 'y'], id: [2, 1] }))
    expect(ids).toEqual([2, 1])
    expect([...columns.keys()]).toEqual(['A'])
    expect(readUpdateColumns(bytes({ id: [1] })).columns.size).toBe(0)
  })

  it.each([
    [{ A: [1] }, 'body.id is missing'],
    [{ id: 1, A: 1 }, 'body.id is not an array'],
    [{ id: ['1'], A: [1] }, 'body.id[0] is not a number'],
    [{ id: [1, 2], A: [1] }, 'body.A has 1 items, but body.id has 2'],
  ])('refuses %j, naming the list', (body, fault) => {
    expect(() => readUpdateColumns(bytes(body))).toThrow(refusal('INVALID_PAYLOAD', fault))
  })

  it('refuses an id that is no whole number', () => {
    expect(() => readUpdateColumns(bytes({ id: [1.5], A: [1] }))).toThrow(refusal('INVALID_ROW_ID'))
  })
})
